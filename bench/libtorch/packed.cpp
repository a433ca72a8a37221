// Row packed with libtorch's own encoder, which takes a padded batch and a mask of its padding.
#include "../packed.h"

#include <torch/torch.h>

#include "../protocol.h"
#include "filled.h"

using torch::Tensor;
using namespace bench::packed;  // the sizes

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  torch::nn::TransformerEncoder encoder(torch::nn::TransformerEncoderOptions(
      torch::nn::TransformerEncoderLayerOptions(kWidth, kHeads).dim_feedforward(kInner).dropout(0),
      kLayers));
  bench::fill_weights(*encoder, weights());
  const Tensor lengths = torch::tensor(bench::packed::lengths());
  const std::int64_t count = lengths.sum().item<std::int64_t>();
  const std::int64_t steps = lengths.max().item<std::int64_t>();
  const Tensor padding = torch::arange(steps).unsqueeze(0) >= lengths.unsqueeze(1);  // [B, T]
  // Where the tokens are in [B T, E], sequence by sequence.
  const Tensor places = padding.flatten().logical_not().nonzero().squeeze(1);
  const auto block = [&](auto fill) {
    return bench::numbers({count, kWidth}, [&](float* to) { fill(to, count); });
  };
  const Tensor x = torch::zeros({kSequences * steps, kWidth})
                       .index_copy(0, places, block(fill_input))
                       .view({kSequences, steps, kWidth})
                       .transpose(0, 1)  // it wants the steps first
                       .contiguous()
                       .requires_grad_();
  const Tensor wanted = block(fill_wanted);
  std::vector<Tensor> leaves = encoder->parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor out = encoder(x, /*src_mask=*/Tensor(), padding).transpose(0, 1);
        const Tensor loss = torch::mse_loss(out.flatten(0, 1).index_select(0, places), wanted);
        loss.backward();
        return loss.item<double>();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}
