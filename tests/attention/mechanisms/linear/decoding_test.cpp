// With a state a step: what was read in a prompt and went on by steps is what was read at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "makers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 3, kT = 17, kE = 12, kH = 2;

std::shared_ptr<FastWeightsAttention> drawn(const std::string& name) {
  manual_seed(23);
  auto made = linear_makers()(name, {.width = kE, .heads = kH, .chunk = 4, .dtype = DType::f64});
  for (const Tensor& parameter : made->parameters()) nn::normal_(parameter, 0, 0.4);
  return made;
}

class Decoding : public testing::TestWithParam<std::string> {
 protected:
  const std::shared_ptr<FastWeightsAttention> made = drawn(GetParam());
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Terms causal{.mask = Mask::causal()};
};
INSTANTIATE_TEST_SUITE_P(Linear, Decoding, testing::ValuesIn(linear_makers()),
                         [](const auto& made) { return made.param; });

TEST_P(Decoding, StepsAreTheWhole) {
  const NoGrad off;
  const Tensor whole = (*made)(x, causal).context;
  KeyValueCache cache;
  for (const auto& [first, count] :
       {std::pair<Index, Index>{0, 9}, {9, 1}, {10, 1}, {11, 0}, {11, 5}, {16, 1}}) {
    const Tensor y = (*made)(narrow(x, 1, first, count), causal, &cache).context;
    EXPECT_THAT(numbers(y), near(narrow(whole, 1, first, count), 1e-10)) << first;
    EXPECT_EQ(cache.seen(), first + count);
  }
}

TEST_P(Decoding, RowsOfTheStateAreTaken) {
  const NoGrad off;
  const Tensor rows = indices({2, 0, 2}, {3});
  KeyValueCache cache;
  (*made)(narrow(x, 1, 0, 6), causal, &cache);
  cache.reorder(rows);
  const Tensor next = narrow(x, 1, 6, 1);
  const Tensor y = (*made)(next, causal, &cache).context;
  const Tensor alone = concat({index_select(narrow(x, 1, 0, 6), 0, rows), next}, 1);
  EXPECT_THAT(numbers(y), near(narrow((*made)(alone, causal).context, 1, 6, 1), 1e-10));
  cache.clear();
  EXPECT_EQ(cache.seen(), 0);
  EXPECT_THAT(numbers((*made)(x, causal, &cache).context), near((*made)(x, causal).context));
}

TEST_P(Decoding, WhatWasNotANumberStays) {
  const NoGrad off;
  Array dirty = x.array().clone();
  dirty.mutable_data<double>()[3 * kE + 1] = std::numeric_limits<double>::infinity();
  KeyValueCache cache;
  (*made)(narrow(Tensor(dirty), 1, 0, 5), causal, &cache);
  const Tensor y = (*made)(narrow(x, 1, 5, 1), causal, &cache).context;
  const Tensor clean = narrow((*made)(x, causal).context, 1, 5, 1);
  EXPECT_TRUE(std::isnan(sum(narrow(y, 0, 0, 1)).item()));
  EXPECT_THAT(numbers(narrow(y, 0, 1, 2)), near(narrow(clean, 0, 1, 2), 1e-10));
}

TEST_P(Decoding, AStackGoesOnByIt) {
  const NoGrad off;
  TransformerOptions options{.width = kE, .heads = kH, .hidden = 7, .dropout = 0};
  options.dtype = DType::f64;
  options.self_attention = [](Index) -> std::shared_ptr<SelfAttention> {
    return drawn(GetParam());
  };
  const TransformerEncoder stack(2, options);
  const Tensor whole = stack(x, causal).output;
  TransformerEncoder::State state;
  const Tensor prompt = stack.step(narrow(x, 1, 0, 12), state).output;
  EXPECT_THAT(numbers(prompt), near(narrow(whole, 1, 0, 12), 1e-10));
  for (Index t = 12; t < kT; ++t) {
    const Tensor y = stack.step(narrow(x, 1, t, 1), state).output;
    EXPECT_THAT(numbers(y), near(narrow(whole, 1, t, 1), 1e-10));
    EXPECT_EQ(state.length(), t + 1);
  }
}

TEST_P(Decoding, RefusesWhatItCannot) {
  KeyValueCache cache;
  EXPECT_ERROR_WITH(GradError, "states require a gradient; decode under NoGrad",
                    (*made)(x, causal, &cache));
  EXPECT_ERROR_WITH(ValueError, "no window, no block, no rule",
                    (*made)(x, {.mask = Mask::window(2, 0)}));
  EXPECT_ERROR_WITH(ValueError, "no window, no block, no rule",
                    (*made)(x, {.mask = Mask::block(2)}));
  EXPECT_ERROR_WITH(ValueError, "of all terms it takes a mask",
                    (*made)(x, {.bias = zeros({kT, kT}, DType::f64)}));
  const NoGrad off;
  KeyValueCache rolling({.window = 1});
  EXPECT_ERROR_WITH(ValueError,
                    "a state of all steps has none that a rolling cache could drop: give a plain "
                    "one",
                    (*made)(x, causal, &rolling));
  EXPECT_EQ(rolling.seen(), 0);
  (*made)(x, causal, &cache);
  EXPECT_ERROR_WITH(ValueError, "a state does not know the weights of steps before",
                    (*made)(x, {.mask = Mask::causal(), .need_weights = true}, &cache));
  const Tensor heads = zeros({kB, 1, 1, 2}, DType::f64);
  EXPECT_ERROR(ValueError, "key_value_cache: it holds states, not keys and values",
               cache.append(heads, heads));
  KeyValueCache keys;
  keys.append(heads, heads);
  EXPECT_ERROR(ValueError, "key_value_cache: it holds keys and values, not states",
               keys.go_on({heads}, 1));
}

}  // namespace
}  // namespace heed::attention
