// Our side of the rows transformer and encoder.

#include "../attention/mechanisms/transformer/transformer.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/losses/regression_losses.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../nn/embedding.h"
#include "../optim/adam.h"
#include "filled.h"
#include "protocol.h"
#include "transformer.h"

namespace {

using namespace heed;

namespace translation {

using namespace bench::transformer;  // the sizes

struct Network : nn::Module {
  nn::Embedding& source =
      child<nn::Embedding>("source", nn::EmbeddingOptions{.count = kVocabulary, .width = kWidth});
  nn::Embedding& target =
      child<nn::Embedding>("target", nn::EmbeddingOptions{.count = kVocabulary, .width = kWidth});
  attention::Transformer& transformer = child<attention::Transformer>(
      "transformer", kLayers, kLayers,
      attention::TransformerOptions{
          .width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  nn::Linear& vocabulary = child<nn::Linear>("vocabulary", kWidth, kVocabulary);
  Tensor positions = bench::numbers({kSteps, kWidth}, fill_positions);

  // i64[B, T] each -> [B * T, V]
  Tensor operator()(const Tensor& read, const Tensor& fed) const {
    return vocabulary(
        flatten(transformer(source(read) + positions, target(fed) + positions), 0, 1));
  }
};

int run(const bench::Options& options) {
  Network network;
  bench::fill_weights(network, weights());
  const Tensor read = bench::ids({kBatch, kSteps}, fill_source);
  const Tensor fed = bench::ids({kBatch, kSteps}, fill_fed);
  const Tensor wanted = bench::ids({kBatch * kSteps}, fill_wanted);
  optim::Adam adam(network.parameters(), {.lr = kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = cross_entropy(network(read, fed), wanted);
    loss.backward();
    const train::Region region("adam");  // for --profile
    adam.step();
    return loss.item();
  });
}

}  // namespace translation

namespace stack {

using namespace bench::encoder;

int run(const bench::Options& options) {
  attention::TransformerEncoder encoder(
      kLayers, {.width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  bench::fill_weights(encoder, weights());
  const Tensor x = bench::numbers({kBatch, kSteps, kWidth}, fill_input);
  const Tensor wanted = bench::numbers({kBatch, kSteps, kWidth}, fill_wanted);
  optim::Adam adam(encoder.parameters(), {.lr = kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = mse_loss(encoder(x).output, wanted);
    loss.backward();
    adam.step();
    return loss.item();
  });
}

}  // namespace stack

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  return options.row == "encoder" ? stack::run(options) : translation::run(options);
}
