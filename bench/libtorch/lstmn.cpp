// An LSTM-network as a user of libtorch writes it, step by step.
#include "../lstmn.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::lstmn;  // the sizes
using torch::Tensor;

torch::nn::Linear projection(std::int64_t in) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, kHidden).bias(false));
}

struct LayerImpl : torch::nn::Module {
  LayerImpl() {
    register_module("gates", gates);
    register_module("hidden_attention", hidden_attention);
    register_module("input_attention", input_attention);
    register_module("summary_attention", summary_attention);
    v = register_parameter("score_vector", torch::empty({kHidden}));
  }
  // x [B, T, I] -> [B, T, H]
  Tensor forward(const Tensor& x) {
    const Tensor from_x = input_attention(x);
    const Tensor nothing = torch::zeros({kBatch, kHidden});
    Tensor h_summary = nothing, c_summary = nothing;
    std::vector<Tensor> keys, states, hs;
    for (std::int64_t t = 0; t < kSteps; ++t) {
      if (t > 0) {
        const Tensor query = from_x.select(1, t) + summary_attention(h_summary);
        const Tensor hidden = torch::tanh(torch::stack(keys, 1) + query.unsqueeze(1));
        const Tensor s = torch::softmax(torch::matmul(hidden, v), 1);  // [B, t]
        const Tensor sum = torch::bmm(s.unsqueeze(1), torch::stack(states, 1)).squeeze(1);
        h_summary = sum.narrow(1, 0, kHidden);
        c_summary = sum.narrow(1, kHidden, kHidden);
      }
      const auto [h, c] = gates(x.select(1, t), std::make_tuple(h_summary, c_summary));
      keys.push_back(hidden_attention(h));
      states.push_back(torch::cat({h, c}, 1));
      hs.push_back(h);
    }
    return torch::stack(hs, 1);
  }
  torch::nn::LSTMCell gates{kInput, kHidden};
  torch::nn::Linear hidden_attention = projection(kHidden);
  torch::nn::Linear input_attention = projection(kInput);
  torch::nn::Linear summary_attention = projection(kHidden);
  Tensor v;
};
TORCH_MODULE(Layer);

struct Network : torch::nn::Module {
  Network() {
    register_module("layers", layers);
    layers->push_back(layer);
  }
  Layer layer;
  torch::nn::ModuleList layers;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  Network network;
  bench::fill_weights(network, weights());
  const Tensor x = bench::numbers({kBatch, kSteps, kInput}, fill_input).requires_grad_();
  const Tensor block = bench::numbers({kBatch, kSteps, kHidden}, fill_block);
  std::vector<Tensor> leaves = network.parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor loss = torch::sum(network.layer(x) * block);
        loss.backward();
        return loss.item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}
