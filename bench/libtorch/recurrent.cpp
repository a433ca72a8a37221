// Rows gru and lstm with libtorch's layers.
#include "../recurrent.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::recurrent;
using torch::Tensor;

template <class Layer>
int run(const bench::Options& options, Layer layer, std::int64_t gates) {
  bench::fill_weights(*layer, weights(gates));
  const Tensor x = bench::numbers({kBatch, kSteps, kInput}, fill_input).requires_grad_();
  const Tensor block = bench::numbers({kBatch, kSteps, kHidden}, fill_block);
  std::vector<Tensor> leaves = layer->parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor loss = torch::sum(std::get<0>(layer(x)) * block);
        loss.backward();
        return loss.template item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  if (options.row == "gru") {
    return run(options, torch::nn::GRU(torch::nn::GRUOptions(kInput, kHidden).batch_first(true)),
               kGruGates);
  }
  return run(options, torch::nn::LSTM(torch::nn::LSTMOptions(kInput, kHidden).batch_first(true)),
             kLstmGates);
}
