// Row flex in plain operators: slopes and mask are one block, made once, that is added.
#include "../flex.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::flex;  // the sizes
using torch::Tensor;

// f32[1, H, T, T]: - slope_h (q - k), -infinity where a key is not allowed.
Tensor make_bias() {
  const Tensor slopes = bench::numbers({kHeads, 1, 1}, fill_slopes);
  const Tensor places = torch::arange(kSteps);
  const Tensor q = places.unsqueeze(1), k = places.unsqueeze(0);
  const Tensor documents = torch::div(places, kDocument, "floor");
  const Tensor allowed =
      (k <= q).logical_and((q - k < kWindow)
                               .logical_or(k < kFirst)
                               .logical_or(documents.unsqueeze(1) == documents.unsqueeze(0)));
  return (-slopes * (q - k)).masked_fill(allowed.logical_not(), -INFINITY).unsqueeze(0);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  const auto block = [](std::uint64_t number) {
    return bench::numbers({1, kHeads, kSteps, kWidth}, [=](float* to) { fill_block(to, number); });
  };
  std::vector<Tensor> x = {block(0), block(1), block(2)};
  for (Tensor& input : x) input.requires_grad_();
  const Tensor wanted = block(3), bias = make_bias();
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(x);
        const Tensor scores = torch::matmul(x[0], x[1].transpose(-2, -1)) / std::sqrt(kWidth);
        const Tensor weights = torch::softmax(kCap * torch::tanh(scores / kCap) + bias, -1);
        const Tensor loss = torch::sum(torch::matmul(weights, x[2]) * wanted);
        loss.backward();
        return loss.item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(x); });
}
