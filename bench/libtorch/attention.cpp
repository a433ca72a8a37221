// Rows sdpa_T and additive as a user of libtorch 1.13 writes them.
#include "../attention.h"

#include <torch/torch.h>

#include <cmath>

#include "../protocol.h"
#include "filled.h"

namespace {

using torch::Tensor;

// forward(inputs) times the block, summed, and back to the inputs.
template <class Forward>
int serve(const bench::Options& options, std::vector<Tensor> inputs, const Tensor& block,
          Forward forward) {
  for (Tensor& input : inputs) input.requires_grad_();
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(inputs);
        const Tensor loss = torch::sum(forward(inputs) * block);
        loss.backward();
        return loss.item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(inputs); });
}

int run_sdpa(const bench::Options& options, std::int64_t steps) {
  using namespace bench::sdpa;
  const auto block = [steps](std::uint64_t number) {
    return bench::numbers({1, kHeads, steps, kWidth},
                          [=](float* to) { fill_block(to, steps, number); });
  };
  return serve(options, {block(0), block(1), block(2)}, block(3), [](const std::vector<Tensor>& x) {
    const Tensor scores = torch::matmul(x[0], x[1].transpose(-2, -1)) / std::sqrt(double{kWidth});
    return torch::matmul(torch::softmax(scores, -1), x[2]);
  });
}

int run_additive(const bench::Options& options) {
  using namespace bench::additive;
  const auto block = [](std::int64_t rows, std::uint64_t number) {
    return bench::numbers({kBatch, rows, kWidth}, [=](float* to) { fill_block(to, number); });
  };
  const Tensor vector = bench::numbers({kWidth}, fill_vector);
  return serve(options, {block(kQueries, 0), block(kKeys, 1), block(kKeys, 2), vector},
               block(kQueries, 3), [](const std::vector<Tensor>& x) {
                 const Tensor hidden = torch::tanh(x[0].unsqueeze(2) + x[1].unsqueeze(1));
                 return torch::bmm(torch::softmax(torch::matmul(hidden, x[3]), -1), x[2]);
               });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  if (options.row == "additive") return run_additive(options);
  return run_sdpa(options, std::stoll(options.row.substr(options.row.find('_') + 1)));
}
