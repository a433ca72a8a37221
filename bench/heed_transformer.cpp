// Our side of the rows transformer and encoder, and the same in bf16: transformer_bf16,
// encoder_bf16.

#include "../autograd/ops/losses/regression_losses.h"
#include "../core/precision.h"
#include "../optim/adam.h"
#include "protocol.h"
#include "transformer_network.h"

namespace {

using namespace heed;

namespace translation {

using namespace bench::transformer;  // the sizes

int run(const bench::Options& options) {
  Network network;
  bench::fill_weights(network, weights());
  const Batch batch;
  optim::Adam adam(network.parameters(), {.lr = kLearningRate});
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = batch.loss(network);
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
  const PrecisionScope scope(options.row.ends_with("_bf16") ? Precision::bf16 : Precision::f32);
  return options.row.starts_with("encoder") ? stack::run(options) : translation::run(options);
}
