// Our side of row packed, and of packed_full, as many sequences of the longest length.

#include "../attention/mechanisms/transformer/transformer_encoder.h"
#include "../autograd/ops/losses/regression_losses.h"
#include "../autograd/ops/packed/packed.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "filled.h"
#include "packed.h"
#include "protocol.h"

using namespace bench::packed;  // the sizes
using namespace heed;

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  attention::TransformerEncoder encoder(
      kLayers, {.width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  bench::fill_weights(encoder, weights());
  const auto lengths = options.row == "packed_full" ? full_lengths() : bench::packed::lengths();
  const Index count = tokens(lengths);
  const auto block = [&](auto fill) {
    return bench::numbers({1, count, kWidth}, [&](float* to) { fill(to, count); });
  };
  Tensor x = block(fill_input);
  x.set_requires_grad();
  const Tensor wanted = block(fill_wanted);
  const attention::Terms terms{
      .mask = attention::Mask::segments(offsets_of({lengths.begin(), lengths.end()}))};
  std::vector<Tensor> leaves = encoder.parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor loss = mse_loss(encoder(x, terms).output, wanted);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}
