// Attention to what is held in bf16 is that to the same numbers in f32, to the bit.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed::attention {
namespace {

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  return Tensor(Generator(seed).normal(shape, 0, 1, DType::f32));
}

// What reads query, keys, values and a bias.
struct Call {
  const char* name;
  std::function<Attended(const std::vector<Tensor>&)> attend;
};

std::vector<Call> calls() {
  const auto score_of = [](std::shared_ptr<Score> score, bool block = false) {
    return [score, block](const std::vector<Tensor>& x) {
      return attend(*score, x[0], x[1], x[2],
                    {.mask = Mask::window(3, 1), .bias = x[3], .need_weights = block});
    };
  };
  manual_seed(3);
  const auto additive = std::make_shared<Additive>(5, 5, 11);
  const auto general = std::make_shared<General>(5, 5);
  return {
      {"scaled dot", score_of(std::make_shared<ScaledDot>())},
      {"scaled dot with its block", score_of(std::make_shared<ScaledDot>(), true)},
      {"additive", score_of(additive)},
      {"general", score_of(general)},
      {"sparsemax",
       [](const std::vector<Tensor>& x) {
         const Sparsemax sparsemax;
         return attend(x[0], x[1], x[2], {.normaliser = &sparsemax, .bias = x[3]});
       }},
      {"offsets and sinks",
       [](const std::vector<Tensor>& x) {
         return attend(x[0], x[1], x[2],
                       {.offset_bias = concat({select(x[3], 0, 1), select(x[3], 0, 2)}, 0),
                        .sinks = select(select(x[3], 0, 0), 0, 3)});
       }},
      {"a step",
       [](const std::vector<Tensor>& x) {
         const Memory memory(x[1], x[2]);
         return memory.step(select(x[0], -2, 2), {.bias = select(x[3], 0, 2)});
       }},
  };
}

// What the call gives, and the gradients of leaves in f32 that it reads as bf16, or as f32.
std::vector<Tensor> context_and_gradients(const Call& call, bool narrow) {
  std::vector<Tensor> leaves, given;
  // A bias beside [6, 7] scores, of which "offsets" takes 12.
  for (const Shape& shape : {Shape{3, 7, 5}, Shape{3, 6, 5}, Shape{3, 6, 2}, Shape{7, 6}}) {
    leaves.push_back(drawn(shape, 17 + leaves.size()).set_requires_grad());
    const Tensor held = to(leaves.back(), DType::bf16);
    given.push_back(narrow ? held : to(held, DType::f32));
  }
  const Attended seen = call.attend(given);
  std::vector<Tensor> out{seen.context};
  if (seen.weights.defined()) out.push_back(seen.weights);
  sum(seen.context * drawn(seen.context.shape(), 29)).backward();
  for (const Tensor& leaf : leaves) out.push_back(leaf.grad());
  return out;
}

TEST(BFloat16Attention, HasTheBitsOfF32) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    const auto found = context_and_gradients(call, true);
    const auto expected = context_and_gradients(call, false);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(found[0].dtype(), DType::f32);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].defined(), expected[i].defined()) << i;
      EXPECT_TRUE(!found[i].defined() || same_bits(found[i], expected[i])) << i;
    }
  }
}

// What stands in a masked place changes nothing, in bf16 either.
TEST(BFloat16Attention, AMaskedPlaceChangesNothing) {
  const Tensor query = to(drawn({1, 7, 5}, 1), DType::bf16),
               values = to(drawn({1, 6, 2}, 3), DType::bf16);
  Array numbers = drawn({1, 6, 5}, 2).array().clone();
  numbers.mutable_data<float>()[4 * 5 + 1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor keys = to(drawn({1, 6, 5}, 2), DType::bf16),
               spoiled = to(Tensor(numbers), DType::bf16);
  const auto mask = Mask::key_padding(tensor({{true, true, true, true, false, true}}));
  const Terms terms{.mask = mask};
  EXPECT_TRUE(same_bits(attend(query, spoiled, values, terms).context,
                        attend(query, keys, values, terms).context));
  EXPECT_TRUE(same_bits(Memory(spoiled, values).attend(query, terms).context,
                        Memory(keys, values).with(keys, values).attend(query, terms).context));

  manual_seed(11);
  const TransformerEncoderLayer layer(
      TransformerOptions{.width = 10, .heads = 2, .hidden = 13, .dropout = 0, .pre_norm = true});
  Array padded = drawn({1, 6, 10}, 12).array().clone();
  padded.mutable_data<float>()[4 * 10 + 3] = std::numeric_limits<float>::quiet_NaN();
  sum(narrow(layer(to(Tensor(padded), DType::bf16), terms).context, 1, 0, 4)).backward();
  ASSERT_TRUE(layer.norm1.weight.grad().defined());
  for (const auto& [name, parameter] : layer.named_parameters()) {
    EXPECT_TRUE(!parameter.grad().defined() || all(isfinite(parameter.grad())).array().item() != 0)
        << name;
  }
}

TEST(BFloat16Attention, ATensorInBf16StandsBesideF32) {
  const Tensor query = drawn({7, 5}, 1), keys = drawn({6, 5}, 2), values = drawn({6, 2}, 3);
  const Tensor held = to(keys, DType::bf16), wide = to(held, DType::f32);
  EXPECT_TRUE(same_bits(attend(query, held, values).context, attend(query, wide, values).context));
  EXPECT_TRUE(same_bits(attend(to(query, DType::bf16), keys, values).context,
                        attend(to(to(query, DType::bf16), DType::f32), keys, values).context));
  EXPECT_EQ(Memory(held, values).keys().dtype(), DType::f32);
}

TEST(BFloat16Attention, BesideF64IsRefused) {
  const Tensor query = to(drawn({7, 5}, 1), DType::bf16), keys = to(drawn({6, 5}, 2), DType::f64);
  const Tensor values = to(drawn({6, 2}, 3), DType::f64);
  EXPECT_ERROR_WITH(DTypeError, "attend: query and keys differ in dtype: bf16[7, 5] and f64[6, 5]",
                    attend(query, keys, values));
  EXPECT_ERROR(DTypeError, "attend: takes f32 or f64, not bf16: say x.to(DType::f32)",
               Memory(to(keys, DType::bf16), values));
  EXPECT_ERROR_WITH(
      DTypeError, "attend: bias must be f64, not bf16[7, 6]",
      attend(to(query, DType::f64), keys, values, {.bias = to(drawn({7, 6}, 4), DType::bf16)}));
}

TEST(BFloat16Attention, HeadsPassGradientsOn) {
  manual_seed(6);
  MultiHead heads(
      {.width = 12, .heads = 4, .kv_heads = 2, .qk_norm = QkNorm::rms, .extras = {.slots = 2}});
  const auto walked = [&](bool narrow) {
    const Tensor leaf = drawn({2, 11, 12}, 7).set_requires_grad();
    const Tensor held = to(leaf, DType::bf16), x = narrow ? held : to(held, DType::f32);
    heads.zero_grad();
    const Tensor bias = to(drawn({11, 11}, 9), DType::bf16);
    const Attended seen = heads(x, x, x, {.bias = narrow ? bias : to(bias, DType::f32)});
    sum(seen.context * drawn({2, 11, 12}, 8)).backward();
    std::vector<Tensor> out{seen.context, leaf.grad()};
    for (const Tensor& each : heads.parameters()) out.push_back(each.grad().clone());
    return out;
  };
  const auto found = walked(true), expected = walked(false);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << i;
}

TEST(BFloat16Attention, HeadsHaveTheBitsOfF32) {
  manual_seed(5);
  const NoGrad decoding;
  for (const bool rolling : {false, true}) {
    const MultiHead self({.width = 12, .heads = 3, .rotary = true, .gate = true, .sinks = true});
    const MultiHead cross({.width = 12, .heads = 2, .key_width = 7, .value_width = 5});
    const Tensor x = to(drawn({2, 11, 12}, 6), DType::bf16), wide = to(x, DType::f32);
    const Tensor keys = to(drawn({2, 5, 7}, 7), DType::bf16), values = drawn({2, 5, 5}, 8);
    const Tensor bias = to(drawn({11, 11}, 9), DType::bf16);
    const KeyValueCacheOptions options{.window = rolling ? 13 : 0};
    KeyValueCache one(options), two(options);
    const auto seen = [&](const Tensor& from, const Tensor& more, KeyValueCache& cache) {
      return self(from, from, from, {.mask = Mask::causal(), .bias = more}, &cache).context;
    };
    EXPECT_TRUE(same_bits(seen(x, bias, one), seen(wide, to(bias, DType::f32), two)));
    if (rolling) {  // 16 steps have come, and 13 are held
      const Tensor more = slice(x, 1, 0, 5), none;
      EXPECT_TRUE(same_bits(seen(more, none, one), seen(to(more, DType::f32), none, two)));
    }
    EXPECT_TRUE(same_bits(cross(x, keys, values).context,
                          cross(wide, to(keys, DType::f32), values).context));
    EXPECT_TRUE(same_bits(cross.attend_to(x, cross.project(keys, values)).context,
                          cross(wide, to(keys, DType::f32), values).context));
  }
  const MultiHead doubles({.width = 12, .heads = 3, .dtype = DType::f64});
  EXPECT_ERROR_WITH(DTypeError, "multi_head: query is bf16[2, 11, 12], the weights are f64",
                    doubles(to(drawn({2, 11, 12}, 6), DType::bf16)));
}

}  // namespace
}  // namespace heed::attention
