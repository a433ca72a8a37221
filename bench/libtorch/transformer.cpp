// Rows transformer and encoder with libtorch's own torch::nn::Transformer.
#include "../transformer.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

namespace {

using torch::Tensor;

namespace translation {

using namespace bench::transformer;  // the sizes

struct Network : torch::nn::Module {
  Network() {
    register_module("source", source);
    register_module("target", target);
    register_module("transformer", transformer);
    register_module("vocabulary", vocabulary);
  }
  // i64[B, T] each -> [B * T, V]; libtorch's Transformer wants the steps first.
  Tensor forward(const Tensor& read, const Tensor& fed) {
    const Tensor seen = transformer(source(read.t()) + positions, target(fed.t()) + positions,
                                    /*src_mask=*/Tensor(), causal);
    return vocabulary(seen.transpose(0, 1).flatten(0, 1));
  }
  torch::nn::Embedding source{kVocabulary, kWidth}, target{kVocabulary, kWidth};
  torch::nn::Transformer transformer{torch::nn::TransformerOptions(kWidth, kHeads, kLayers, kLayers)
                                         .dim_feedforward(kInner)
                                         .dropout(0)};
  torch::nn::Linear vocabulary{kWidth, kVocabulary};
  Tensor positions = bench::numbers({kSteps, 1, kWidth}, fill_positions);
  Tensor causal = torch::nn::TransformerImpl::generate_square_subsequent_mask(kSteps);
};

int run(const bench::Options& options) {
  Network network;
  bench::fill_weights(network, weights());
  const Tensor read = bench::ids({kBatch, kSteps}, fill_source);
  const Tensor fed = bench::ids({kBatch, kSteps}, fill_fed);
  const Tensor wanted = bench::ids({kBatch * kSteps}, fill_wanted);
  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = torch::cross_entropy_loss(network.forward(read, fed), wanted);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}

}  // namespace translation

namespace stack {

using namespace bench::encoder;

int run(const bench::Options& options) {
  torch::nn::TransformerEncoder encoder(torch::nn::TransformerEncoderOptions(
      torch::nn::TransformerEncoderLayerOptions(kWidth, kHeads).dim_feedforward(kInner).dropout(0),
      kLayers));
  bench::fill_weights(*encoder, weights());
  const auto steps_first = [](const Tensor& x) { return x.transpose(0, 1).contiguous(); };
  const Tensor x = steps_first(bench::numbers({kBatch, kSteps, kWidth}, fill_input));
  const Tensor wanted = steps_first(bench::numbers({kBatch, kSteps, kWidth}, fill_wanted));
  torch::optim::Adam adam(encoder->parameters(), torch::optim::AdamOptions(kLearningRate));
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = torch::mse_loss(encoder(x), wanted);
    loss.backward();
    adam.step();
    return loss.item<double>();
  });
}

}  // namespace stack

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  return options.row == "encoder" ? stack::run(options) : translation::run(options);
}
