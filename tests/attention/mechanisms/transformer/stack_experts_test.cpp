// Experts in the layers of a stack, beside the papers' layers over single numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../../../../attention/mechanisms/transformer/mixture_of_depths.h"
#include "../../../../attention/mechanisms/transformer/transformer.h"
#include "../../../../attention/mechanisms/vision/vision_transformer.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain_layers.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::Rows;

constexpr Index kB = 2, kT = 5, kS = 3, kE = 6, kH = 3, kHidden = 4, kN = 5, kK = 2;
const std::vector<Index> kLengths = {kT, 3};

// Experts in every layer but the first.
TransformerOptions options() {
  return {.width = kE,
          .heads = kH,
          .hidden = kHidden,
          .dropout = 0,
          .activation = Activation::gelu,
          .dtype = DType::f64,
          .experts = [](MixtureOfExpertsOptions own, Index layer) {
            own.experts = layer == 0 ? 0 : kN;
            return own;
          }};
}

template <class Module>
void draw(const Module& made) {
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
}

Numbers feed_forward(const Leaves& w, const std::string& name, const Numbers& x, bool bias) {
  const auto project = [&](const char* which, const Numbers& from) {
    const std::string own = name + which;
    return plain::affine(w[own + ".weight"], from, bias ? w[own + ".bias"] : Block());
  };
  return project("linear2", plain::gelu(project("linear1", x)));
}

// What a batch's real tokens have given to the balance so far.
struct Sums {
  Numbers mean = Numbers(kN, 0.0), share = Numbers(kN, 0.0);
  double tokens = 0;
  double balance() const { return plain::dot(mean, share) * kN / (tokens * tokens * kK); }
};

Numbers mixture(const Leaves& w, const std::string& name, const Numbers& x, Sums& sums) {
  const Numbers logits = plain::affine(w[name + "router.weight"], x);
  sums.mean = plain::add(sums.mean, plain::softmax(logits, kN));
  ++sums.tokens;
  std::vector<Index> order(kN);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index i, Index j) { return at(logits, i) > at(logits, j); });
  Numbers best, y(kE, 0.0);
  for (std::size_t i = 0; i < kK; ++i) best.push_back(at(logits, order[i]));
  const Numbers gates = plain::softmax(best, kK);
  for (std::size_t i = 0; i < kK; ++i) {
    ++at(sums.share, order[i]);
    const std::string own = name + "experts." + std::to_string(order[i]) + '.';
    const Numbers z = feed_forward(w, own, x, false);
    for (std::size_t d = 0; d < y.size(); ++d) y[d] += gates[i] * z[d];
  }
  return y;
}

// Post-norm; the padding goes to no expert.
Rows layer(const Leaves& w, Index at, const Rows& x, Index length, Sums& sums) {
  const std::string name = "layers." + std::to_string(at);
  const Rows real(x.begin(), x.begin() + length);
  const Rows seen = plain::heads(w, name + ".self_attn", kH, x, real);
  Rows out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Numbers h = plain::layer_norm(w, name + ".norm1", plain::add(x[t], seen[t]));
    Numbers y(kE, 0.0);
    if (at == 0) {
      y = feed_forward(w, name + '.', h, true);
    } else if (static_cast<Index>(t) < length) {
      y = mixture(w, name + ".mixture.", h, sums);
    }
    out.push_back(plain::layer_norm(w, name + ".norm2", plain::add(h, y)));
  }
  return out;
}

class StackExperts : public SeededTest<57> {
 protected:
  Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, kS, kE}, DType::f64);
  Mask padding = Mask::lengths(kLengths, kT);
};

TEST_F(StackExperts, StandInThePlaceOfFeedForwardParts) {
  const TransformerEncoder made(3, options());
  draw(made);
  const auto leaves = plain::leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const TransformerOutput out = made(x, {.mask = padding});
    return std::vector<Tensor>{out.output, out.balance()};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& w) {
    std::vector<Sums> sums(3);
    Numbers out;
    for (std::size_t b = 0; b < kB; ++b) {
      Rows y = plain::rows_of(w["x"], b, kT);
      for (std::size_t at = 0; at < sums.size(); ++at) {
        y = layer(w, static_cast<Index>(at), y, kLengths[b], sums[at]);
      }
      out = plain::join({out, plain::join(y)});
    }
    out.push_back(sums[1].balance() + sums[2].balance());
    return out;
  });
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(StackExperts, HaveNamesAndNoFeedForwardPart) {
  TransformerOptions small = options();
  small.activation = Activation::swiglu;
  const TransformerEncoder made(2, small);
  std::string names;
  for (const auto& [name, tensor] : made.layers[1].state_dict()) {
    if (name.find("experts.") == std::string::npos || name.find(".0.") != std::string::npos) {
      names += name + ' ';
    }
  }
  EXPECT_EQ(names,
            "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight "
            "self_attn.out_proj.bias mixture.router.weight mixture.experts.0.linear1.weight "
            "mixture.experts.0.linear_gate.weight mixture.experts.0.linear2.weight norm1.weight "
            "norm1.bias norm2.weight norm2.bias ");
  EXPECT_EQ(made.layers[0].mixture, nullptr);
  EXPECT_NE(made.layers[0].linear_gate, nullptr);
  EXPECT_EQ(made.layers[1].linear1, nullptr);
  EXPECT_EQ(made.layers[1].linear_gate, nullptr);
  EXPECT_EQ(made.layers[1].linear2, nullptr);
  EXPECT_FALSE(TransformerEncoder(1, small)(x).balance().defined());
}

TEST_F(StackExperts, StandBehindAnyNorms) {
  for (const bool parallel : {false, true}) {
    TransformerOptions own = options();
    own.pre_norm = own.both_norms = true;
    own.parallel = parallel;
    const TransformerEncoderLayer made(own, 1);
    draw(made);
    const TransformerNorm &after1 = *made.norm1_after, &after2 = *made.norm2_after;
    const Tensor n = made.norm1(x), h = x + after1(made.self_attn(n).context);
    const Tensor want = h + after2((*made.mixture)(parallel ? n : made.norm2(h)).output);
    EXPECT_THAT(numbers(made(x).context), near(want, 1e-11));
  }
}

TEST_F(StackExperts, OfADecoderHaveGradientsOfBothOrders) {
  const TransformerDecoder made(2, options());
  draw(made);
  const auto call = [&] { return made(x, memory, {.mask = Mask::causal() & padding}); };
  const TransformerDecoderLayer &low = made.layers[0], &high = made.layers[1];
  const Tensor y = low(x, memory, {.mask = Mask::causal() & padding}).context;
  Tensor h = high.norm1(y + high.self_attn(y, {.mask = Mask::causal() & padding}).context);
  h = high.norm2(h + high.multihead_attn(h, memory, memory).context);
  const MixtureOutput seen = (*high.mixture)(h, padding.tensor({kB, kT}));
  EXPECT_THAT(numbers(call().output), near(high.norm3(h + seen.output), 1e-11));
  EXPECT_NEAR(call().balance().item(), seen.balance.item(), 1e-12);
  EXPECT_EQ(call().routed[0].load, seen.load);
  plain::expect_gradients(
      plain::leaves_of(made, {{"x", x}, {"memory", memory}}),
      [&] {
        const TransformerOutput out = call();
        return std::vector<Tensor>{out.output, out.balance()};
      },
      2);
}

// By lengths, by keys, by a tensor, behind a past: the same tokens count.
TEST_F(StackExperts, PaddingGoesToNobody) {
  const TransformerEncoder made(2, options());
  draw(made);
  const Tensor real = padding.tensor({kB, kT});
  const TransformerOutput want = made(x, {.mask = padding});
  EXPECT_EQ(std::accumulate(want.routed[0].load.begin(), want.routed[0].load.end(), Index{0}),
            (kT + 3) * kK);
  for (const Mask& mask : {Mask::key_padding(real), Mask(reshape(real, Shape{kB, 1, 1, kT})),
                           Mask(expand(reshape(real, Shape{kB, 1, 1, kT}), {kB, kH, kT, kT}))}) {
    const TransformerOutput out = made(x, {.mask = mask});
    EXPECT_EQ(out.routed[0].load, want.routed[0].load);
    EXPECT_NEAR(out.balance().item(), want.balance().item(), 1e-12);
    EXPECT_THAT(numbers(out.output), near(want.output, 1e-11));
  }
  const auto leaves = plain::leaves_of(made, {});
  plain::expect_hidden([&](double value) {
    return plain::bits_of(leaves, [&] {
      const TransformerOutput out = made(plain::spoiled(x, kLengths, value), {.mask = padding});
      return std::vector<Tensor>{narrow(out.output, 0, 0, 1),
                                 narrow(narrow(out.output, 0, 1, 1), 1, 0, 3), out.balance()};
    });
  });
}

TEST_F(StackExperts, StepsGiveWhatTheWholeGives) {
  const TransformerEncoder encoder(2, options());
  const TransformerDecoder decoder(2, options());
  draw(encoder);
  draw(decoder);
  const NoGrad off;
  const Tensor whole = encoder(x, {.mask = Mask::causal()}).output;
  const Tensor decoded = decoder(x, memory, {.mask = Mask::causal()}).output;
  const Tensor real = padding.tensor({kB, kT});
  TransformerEncoder::State past, padded;
  TransformerDecoder::State state = decoder.start(memory);
  for (Index t = 0; t < kT; ++t) {
    const Tensor now = narrow(x, 1, t, 1);
    const TransformerOutput out = encoder.step(now, past);
    EXPECT_THAT(numbers(out.output), near(narrow(whole, 1, t, 1), 1e-11));
    EXPECT_EQ(out.routed.size(), 1U);
    EXPECT_THAT(numbers(decoder.step(select(x, 1, t), state).output),
                near(select(decoded, 1, t), 1e-11));
    const Tensor so_far = narrow(real, 1, 0, t + 1);
    const auto load = encoder.step(now, padded, {.mask = Mask::key_padding(so_far)}).routed[0].load;
    EXPECT_EQ(std::accumulate(load.begin(), load.end(), Index{0}), (t < 3 ? kB : 1) * kK);
  }
  TransformerDecoder::State at_once = decoder.start(memory);
  const TransformerOutput run = decoder.run(x, at_once, {}, kLengths);
  EXPECT_EQ(std::accumulate(run.routed[0].load.begin(), run.routed[0].load.end(), Index{0}),
            (kT + 3) * kK);
  EXPECT_THAT(numbers(narrow(run.output, 0, 0, 1)), near(narrow(decoded, 0, 0, 1), 1e-11));
}

// Whatever is made of a stack's layers says where their tokens went.
TEST_F(StackExperts, AreSeenFromAbove) {
  TransformerOptions all = options();
  all.experts = [](MixtureOfExpertsOptions own, Index) {
    own.experts = kN;
    return own;
  };
  const Tensor packed = randn({7, kE}, DType::f64);
  const TransformerEncoder encoder(2, all);
  const TransformerOutput in = encoder(Packed{packed, {0, 3, 7}}, {});
  EXPECT_EQ(in.routed.size(), 2U);
  EXPECT_EQ(in.routed[0].chosen.shape(), (Shape{1, 7, kK}));
  EXPECT_EQ(encoder.by_layer(x, {Terms(), Terms()}).routed.size(), 2U);
  auto [output, weights] = encoder(x, {.need_weights = true});
  EXPECT_EQ(output.shape(), x.shape());
  EXPECT_EQ(weights.size(), 2U);
  const MixtureOfDepths depths({.block = all, .capacity = 0.5});
  EXPECT_EQ(depths(x).routed.chosen.shape(), (Shape{kB, 2, kK}));
  const VisionTransformer vision({.height = 4,
                                  .width = 2,
                                  .channels = 1,
                                  .patch = 2,
                                  .classes = 3,
                                  .layers = 2,
                                  .embedding = kE,
                                  .heads = kH,
                                  .hidden = kHidden,
                                  .dtype = DType::f64,
                                  .encoder = [](TransformerOptions own) {
                                    own.experts = options().experts;
                                    return own;
                                  }});
  EXPECT_EQ(vision(zeros({kB, 1, 4, 2}, DType::f64)).routed.size(), 1U);
}

TEST_F(StackExperts, RefuseWhatDoesNotFit) {
  TransformerOptions wrong = options();
  wrong.experts = [](MixtureOfExpertsOptions own, Index) {
    own.experts = 1;
    return own;
  };
  EXPECT_ERROR_WITH(ValueError, "mixture_of_experts: chosen 2 is not in [1, 1]",
                    TransformerEncoder(1, wrong));
  wrong.experts = [](MixtureOfExpertsOptions own, Index) {
    own.experts = -1;
    return own;
  };
  EXPECT_ERROR_WITH(ValueError, "mixture_of_experts: width 6, hidden 4 and experts -1",
                    TransformerDecoder(1, wrong));
  wrong.experts = [](MixtureOfExpertsOptions own, Index) {
    own.experts = kN;
    own.width = kE + 1;
    return own;
  };
  EXPECT_ERROR_WITH(ShapeError, "mixture_of_experts: x must be [.., n, 7], not f64[2, 5, 6]",
                    TransformerEncoder(1, wrong)(x));
}

}  // namespace
}  // namespace heed::attention
