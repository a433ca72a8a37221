// Attention layers against those of torch::nn, whose batches stand on axis 1 and whose masks say
// what must not be attended to.
#include <gtest/gtest.h>

#include "../../attention/mechanisms/transformer/transformer.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "compare_layers.h"

namespace heed::parity {
namespace {

namespace tn = torch::nn;

constexpr Index kB = 2, kS = 5, kT = 3, kE = 6;

torch::Tensor steps_first(const torch::Tensor& x) { return x.transpose(0, 1); }

// [steps, steps]: minus infinity over the future.
torch::Tensor future(Index steps) {
  return torch::full({steps, steps}, -std::numeric_limits<double>::infinity(), torch::kFloat64)
      .triu(1);
}

// True in the padding.
torch::Tensor padding(const std::vector<Index>& lengths, Index steps) {
  return torch::arange(steps).unsqueeze(0) >= torch::tensor(lengths).unsqueeze(1);
}

TEST(AttentionParity, MultiHeadSelf) {
  attention::MultiHead ours({.width = kE, .heads = 3});
  tn::MultiheadAttention theirs(tn::MultiheadAttentionOptions(kE, 3));
  compare(
      ours, *theirs, {{kB, kS, kE}},
      [&](H x) { return ours(x[0], {.mask = attention::Mask::causal()}).context; },
      [&](T x) {
        const auto in = steps_first(x[0]);
        return steps_first(
            std::get<0>(theirs->forward(in, in, in, torch::Tensor(), false, future(kS))));
      });
}

TEST(AttentionParity, MultiHeadWithBiasesAndZeroAttention) {
  attention::MultiHead ours({.width = kE, .heads = 3, .extras = {.bias_kv = true, .zero = true}});
  tn::MultiheadAttention theirs(
      tn::MultiheadAttentionOptions(kE, 3).add_bias_kv(true).add_zero_attn(true));
  const std::vector<Index> lengths = {5, 2};
  compare(
      ours, *theirs, {{kB, kS, kE}},
      [&](H x) {
        const auto out =
            ours(x[0], {.mask = attention::Mask::lengths(lengths, kS), .need_weights = true});
        return joined({out.context, mean(out.weights, {1})});
      },
      [&](T x) {
        const auto in = steps_first(x[0]);
        const auto [context, seen] = theirs->forward(in, in, in, padding(lengths, kS), true);
        return joined({steps_first(context), seen});
      });
}

// libtorch 1.13 wants keys and values of one width.
TEST(AttentionParity, MultiHeadOverKeysOfAnotherWidth) {
  attention::MultiHead ours({.width = kE, .heads = 2, .key_width = 7, .value_width = 7});
  tn::MultiheadAttention theirs(tn::MultiheadAttentionOptions(kE, 2).kdim(7).vdim(7));
  const std::vector<Index> lengths = {5, 2};
  compare(
      ours, *theirs, {{kB, kT, kE}, {kB, kS, 7}, {kB, kS, 7}},
      [&](H x) {
        const auto out =
            ours(x[0], x[1], x[2],
                 {.mask = attention::Mask::lengths(lengths, kS), .need_weights = true});
        return joined({out.context, mean(out.weights, {1})});
      },
      [&](T x) {
        const auto [context, seen] = theirs->forward(steps_first(x[0]), steps_first(x[1]),
                                                     steps_first(x[2]), padding(lengths, kS), true);
        return joined({steps_first(context), seen});
      });
}

TEST(AttentionParity, TransformerEncoder) {
  attention::TransformerEncoder ours(2, {.width = kE, .heads = 3, .hidden = 7, .dropout = 0});
  tn::TransformerEncoder theirs(tn::TransformerEncoderOptions(
      tn::TransformerEncoderLayerOptions(kE, 3).dim_feedforward(7).dropout(0), 2));
  const std::vector<Index> lengths = {5, 2};
  compare(
      ours, *theirs, {{kB, kS, kE}},
      [&](H x) {
        return ours(x[0],
                    {.mask = attention::Mask::lengths(lengths, kS) & attention::Mask::causal()})
            .output;
      },
      [&](T x) {
        return steps_first(theirs->forward(steps_first(x[0]), future(kS), padding(lengths, kS)));
      });
}

TEST(AttentionParity, Transformer) {
  attention::Transformer ours(1, 2,
                              {.width = kE,
                               .heads = 2,
                               .hidden = 7,
                               .dropout = 0,
                               .activation = attention::Activation::gelu});
  tn::Transformer theirs(tn::TransformerOptions(kE, 2)
                             .num_encoder_layers(1)
                             .num_decoder_layers(2)
                             .dim_feedforward(7)
                             .dropout(0)
                             .activation(torch::kGELU));
  const std::vector<Index> lengths = {5, 2};
  compare(
      ours, *theirs, {{kB, kS, kE}, {kB, kT, kE}},
      [&](H x) { return ours(x[0], x[1], attention::Mask::lengths(lengths, kS)); },
      [&](T x) {
        const auto hidden = padding(lengths, kS);
        return steps_first(theirs->forward(steps_first(x[0]), steps_first(x[1]), torch::Tensor(),
                                           future(kT), torch::Tensor(), hidden, torch::Tensor(),
                                           hidden));
      });
}

}  // namespace
}  // namespace heed::parity
