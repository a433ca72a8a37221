#include "../../../../attention/mechanisms/transformer/value_residual_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>

#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../../autograd/checkpoint.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../../nn/module_list.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kE = 5, kH = 3, kD = 2, kLayers = 3;

ValueResidualOptions options(bool single = false) {
  return {.width = kE,
          .heads = kH,
          .head_width = kD,
          .layers = kLayers,
          .single = single,
          .dtype = DType::f64};
}

// Layer upon layer, with nothing beside.
class Bare : public nn::Module {
 public:
  explicit Bare(const ValueResidualOptions& o) {
    const auto make = value_residual(o);
    for (Index i = 0; i < o.layers; ++i) {
      layers.push_back(&shared_child("layer" + std::to_string(i), make(i)));
    }
  }
  std::vector<SelfAttention*> layers;

  Tensor operator()(Tensor x, Terms terms = {}) const {
    for (const SelfAttention* layer : layers) {
      const Attended seen = (*layer)(x, terms);
      x = seen.context;
      terms.from_below = seen.for_above;
    }
    return x;
  }
};

Numbers part(const Numbers& x, Index first) { return {x.begin() + first, x.begin() + first + kD}; }

Numbers plain_stack(const Leaves& p, bool single) {
  Numbers out;
  for (std::size_t b = 0; b < kB; ++b) {
    std::vector<Numbers> tokens = plain::rows_of(p["x"], b, kT), first(kT);
    for (Index n = 0; n < kLayers; ++n) {
      const std::string own = "layer" + std::to_string(n) + '.';
      std::vector<Numbers> q, k, v, next;
      for (std::size_t t = 0; t < kT; ++t) {
        q.push_back(plain::affine(p[own + "q_proj.weight"], tokens[t]));
        k.push_back(plain::affine(p[own + "k_proj.weight"], tokens[t]));
        if (n > 0 && single) {
          v.push_back(first[t]);
          continue;
        }
        v.push_back(plain::affine(p[own + "v_proj.weight"], tokens[t]));
        if (n == 0) {
          first[t] = v.back();
          continue;
        }
        const Numbers& mix = p[own + "mix"].values();
        for (std::size_t i = 0; i < v.back().size(); ++i) {
          v.back()[i] = mix[0] * v.back()[i] + mix[1] * first[t][i];
        }
      }
      for (std::size_t i = 0; i < kT; ++i) {
        Numbers joined;
        for (Index h = 0; h < kH; ++h) {
          Numbers e(kT, 0.0), head(kD, 0.0);
          for (std::size_t j = 0; j < kT; ++j) {
            e[j] = plain::dot(part(q[i], h * kD), part(k[j], h * kD)) /
                   std::sqrt(static_cast<double>(kD));
          }
          const Numbers a = plain::softmax(e, static_cast<Index>(i) + 1);
          for (std::size_t j = 0; j < kT; ++j) {
            for (Index d = 0; d < kD; ++d) at(head, d) += a[j] * at(v[j], h * kD + d);
          }
          joined = plain::join({joined, head});
        }
        next.push_back(plain::affine(p[own + "out_proj.weight"], joined));
      }
      tokens = next;
    }
    for (const Numbers& row : tokens) out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

TEST(ValueResidual, AreThePapersSums) {
  for (const bool single : {false, true}) {
    manual_seed(71);
    const Bare made(options(single));
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
    const Tensor x = randn({kB, kT, kE}, DType::f64);
    const auto leaves = leaves_of(made, {{"x", x}});
    const auto ours = [&] { return std::vector<Tensor>{made(x, {.mask = Mask::causal()})}; };
    plain::expect_same(
        leaves, ours, [&](const Leaves& p) { return plain_stack(p, single); }, 2e-4);
    plain::expect_gradients(leaves, ours, 2);
  }
}

TEST(ValueResidual, AStackOfThemGoesOnStepByStep) {
  manual_seed(72);
  const NoGrad off;
  for (const bool single : {false, true}) {
    ValueResidualOptions heads = options(single);
    heads.rotary = true;
    const TransformerEncoder stack(kLayers, {.width = kE,
                                             .heads = 1,
                                             .hidden = 4,
                                             .dropout = 0,
                                             .dtype = DType::f64,
                                             .self_attention = value_residual(heads)});
    const Tensor x = randn({kB, kT, kE}, DType::f64);
    const Tensor whole = stack(x, {.mask = Mask::causal()}).output;
    TransformerEncoder::State state;
    for (const auto& [first, count] : {std::pair<Index, Index>{0, 3}, {3, 1}, {4, 3}}) {
      const Tensor part = stack.step(narrow(x, 1, first, count), state).output;
      EXPECT_LT(difference(part, narrow(whole, 1, first, count)), 1e-12) << first;
    }
  }
}

TEST(ValueResidual, EachThreadHasItsOwn) {
  manual_seed(73);
  const Bare made(options());
  const Tensor x = randn({kB, kT, kE}, DType::f64), y = randn({kB, kT, kE}, DType::f64);
  const NoGrad off;
  const Tensor wanted = made(y);
  Tensor beside;
  const Attended first = (*made.layers[0])(x);
  std::thread other([&] {
    const NoGrad here;
    beside = made(y);
  });
  other.join();
  EXPECT_EQ(difference(beside, wanted), 0);
  const Terms above{.from_below = first.for_above};
  const Tensor second = (*made.layers[1])(first.context, above).context;
  const Tensor third = (*made.layers[2])(second, above).context;
  EXPECT_EQ(difference(third, made(x)), 0);
}

TransformerOptions stack_options() {
  return {.width = kE,
          .heads = 1,
          .hidden = 4,
          .dropout = 0,
          .activation = Activation::gelu,
          .dtype = DType::f64,
          .self_attention = value_residual(options())};
}

// Everything that a pass of x through `made` comes to: the output and all gradients.
std::vector<Numbers> bits(const nn::Module& made, Tensor x,
                          const std::function<Tensor(const Tensor&)>& run) {
  for (Tensor each : made.parameters()) each.zero_grad();
  x = x.detach();
  x.set_requires_grad();
  const Tensor y = run(x);
  sum(y * y).backward();
  std::vector<Numbers> out = {numbers(y), numbers(x.grad())};
  for (const Tensor& each : made.parameters()) out.push_back(numbers(each.grad()));
  return out;
}

TEST(ValueResidual, ThreadsGoThroughOneStackSideBySide) {
  manual_seed(74);
  const TransformerEncoder stack(kLayers, stack_options());
  const NoGrad off;
  std::vector<Tensor> inputs, wanted;
  for (Index i = 0; i < 2; ++i) {
    inputs.push_back(randn({kB, kT + i, kE}, DType::f64));
    wanted.push_back(stack(inputs.back()).output);
  }
  const auto passes = [&](std::size_t own, double& most) {
    const NoGrad here;
    for (int i = 0; i < 20; ++i) {
      most = std::max(most, difference(stack(inputs[own]).output, wanted[own]));
    }
  };
  double one = 0, two = 0;
  std::thread other([&] { passes(1, two); });
  passes(0, one);
  other.join();
  EXPECT_EQ(one, 0);
  EXPECT_EQ(two, 0);
}

TEST(ValueResidual, ALayerCalledAgainGivesTheSame) {
  manual_seed(75);
  const Bare made(options());
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Attended first = (*made.layers[0])(x);
  const Terms above{.from_below = first.for_above};
  const Tensor once = (*made.layers[1])(first.context, above).context;
  made(randn({kB, kT, kE}, DType::f64));  // another pass in between
  EXPECT_EQ(difference((*made.layers[1])(first.context, above).context, once), 0);
  EXPECT_EQ(difference((*made.layers[0])(x).for_above, first.for_above), 0);
}

// The layers of a stack in checkpoints, which call them again in the backward pass, from the last
// to the first.
TEST(ValueResidual, CheckpointedLayersHaveTheSameGradients) {
  manual_seed(76);
  const Bare made(options());
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const auto plain = bits(made, x, [&](const Tensor& in) { return made(in); });
  const auto again = bits(made, x, [&](const Tensor& in) {
    std::vector<Tensor> passed = {in};
    for (const SelfAttention* layer : made.layers) {
      passed = checkpoint(
          [layer](const std::vector<Tensor>& given) {
            const Terms terms{.from_below = given.size() > 1 ? given[1] : Tensor()};
            const Attended seen = (*layer)(given[0], terms);
            return std::vector<Tensor>{seen.context, seen.for_above};
          },
          passed);
    }
    return passed[0];
  });
  EXPECT_EQ(again, plain);
  const TransformerEncoder stack(kLayers, stack_options());
  const auto whole = [&](const Tensor& in) { return stack(in).output; };
  EXPECT_EQ(bits(stack, x, [&](const Tensor& in) { return checkpoint(whole, in); }),
            bits(stack, x, whole));
}

TEST(ValueResidual, ABackwardPassIsThatOfItsOwnForwardPass) {
  manual_seed(77);
  const TransformerEncoder stack(kLayers, stack_options());
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Tensor other = randn({kB, kT, kE}, DType::f64);
  const auto alone = bits(stack, x, [&](const Tensor& in) { return stack(in).output; });
  const auto before_another = bits(stack, x, [&](const Tensor& in) {
    const Tensor y = stack(in).output;
    stack(other);
    return y;
  });
  EXPECT_EQ(before_another, alone);
}

// A decoder's layers and those without a share in it hand the values on.
TEST(ValueResidual, StacksHandTheValuesOn) {
  manual_seed(78);
  const NoGrad off;
  TransformerOptions mixed = stack_options();
  const auto make = mixed.self_attention;
  mixed.self_attention = [make](Index layer) -> std::shared_ptr<SelfAttention> {
    if (layer == 1)
      return std::make_shared<MultiHead>(MultiHeadOptions{.width = kE, .dtype = DType::f64});
    return make(layer);
  };
  const TransformerDecoder stack(kLayers, mixed);
  const Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, 3, kE}, DType::f64);
  const Terms causal{.mask = Mask::causal()};
  const Attended low = stack.layers[0](x, memory, causal);
  const Attended middle = stack.layers[1](low.context, memory, causal);
  EXPECT_FALSE(middle.for_above.defined());
  const Terms above{.mask = Mask::causal(), .from_below = low.for_above};
  const Tensor high = stack.layers[2](middle.context, memory, above).context;
  EXPECT_EQ(difference(stack(x, memory, causal).output, high), 0);
  TransformerDecoder::State state = stack.start(memory);
  for (Index t = 0; t < kT; ++t) {
    const Tensor y = stack.step(select(x, 1, t), state).output;
    EXPECT_LT(difference(y, select(high, 1, t)), 1e-12) << t;
  }
}

TEST(ValueResidual, RefuseWhatDoesNotFit) {
  const Bare made(options());
  const Tensor x = zeros({kB, kT, kE}, DType::f64);
  EXPECT_ERROR(ShapeError, "layer0: value_residual_heads: x must be [.., n, 5], not f64[2, 7, 4]",
               (*made.layers[0])(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(
      ValueError,
      "layer1: value_residual_heads: layer 1 of 7 tokens, of which the first layer left nothing",
      (*made.layers[1])(x));
  const Terms above{.from_below = (*made.layers[0])(x).for_above};
  EXPECT_ERROR(
      ValueError,
      "layer1: value_residual_heads: layer 1 of 4 tokens, of which the first layer left f64[2, 3, "
      "7, 2]",
      (*made.layers[1])(narrow(x, 1, 0, 4), above));
  EXPECT_ERROR(ValueError, "value_residual_heads: layer 3 is not in [0, 3)",
               value_residual(options())(3));
  EXPECT_ERROR(ValueError,
               "value_residual_heads: width 0, heads 1 and layers 0 must be positive, head_width 0 "
               "not negative",
               value_residual({})(0));
  EXPECT_ERROR(ValueError, "value_residual_heads: rotary needs an even head width, not 3",
               value_residual({.width = 3, .layers = 1, .rotary = true})(0));
  EXPECT_ERROR(ValueError, "value_residual_heads: dropout 2 is not in [0, 1]",
               value_residual({.width = 3, .layers = 1, .dropout = 2})(0));
  const NoGrad off;
  KeyValueCache rolling({.sinks = 1, .window = 2});
  EXPECT_ERROR(ValueError,
               "layer0: value_residual_heads: a rolling cache has no places: give a plain one",
               (*made.layers[0])(x, {}, &rolling));
}

}  // namespace
}  // namespace heed::attention
