// What mechanisms without scores take of the terms, one by one.
#include "../../../../attention/mechanisms/linear/linear_call.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "../../../../attention/attention.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

TEST(LinearCall, TakesAMaskAndNothingBesideIt) {
  const Sparsemax sparsemax;
  const Alibi alibi(1);
  const RelativePositions relative({.key_width = 3});
  EXPECT_TRUE(mask_alone({}));
  EXPECT_TRUE(mask_alone({.mask = Mask::causal(), .need_weights = true}));
  const std::vector<Terms> others = {{.normaliser = &sparsemax},  {.bias = zeros({1})},
                                     {.offset_bias = zeros({1})}, {.position_bias = &alibi},
                                     {.relative = &relative},     {.map = maps::soft_cap(1)},
                                     {.sinks = zeros({1})},       {.dropout = 0.5},
                                     {.need_statistics = true},   {.need_log_sums = true}};
  const LinearAttention made({.width = 6, .heads = 2});
  const Tensor x = randn({2, 3, 6});
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_FALSE(mask_alone(others[i])) << i;
    EXPECT_ERROR(ValueError,
                 "linear_attention: of all terms it takes a mask, and gives weights: it has no "
                 "scores that others could add to",
                 made(x, others[i]));
  }
}

TEST(LinearCall, RefusesMasksOfPairs) {
  const LinearAttention made({.width = 6, .heads = 2});
  const Tensor x = randn({2, 3, 6});
  for (const Mask& mask :
       {Mask::window(2, 0), Mask::window(1, 1), Mask::window(0, 0), Mask::block(2),
        Mask::segments({0, 1, 3}), !Mask::causal(), Mask::causal() & Mask::block(2)}) {
    EXPECT_ERROR(ValueError,
                 "linear_attention: a mask must be causal or one of keys: no window, no block, no "
                 "rule",
                 made(x, {.mask = mask}));
  }
  EXPECT_ERROR(ShapeError, "linear_attention: x must be [B, T, 6], not f32[2, 3, 5]",
               made(randn({2, 3, 5})));
  EXPECT_ERROR(ShapeError, "linear_attention: x must be [B, T, 6], not f32[3, 6]",
               made(randn({3, 6})));
  EXPECT_ERROR(DTypeError, "linear_attention: x is f64[2, 3, 6], the weights are f32",
               made(randn({2, 3, 6}, DType::f64)));
  const NoGrad off;
  KeyValueCache cache;
  EXPECT_ERROR(ValueError, "linear_attention: a cache is for causal attention",
               made(x, {}, &cache));
  EXPECT_EQ(cache.seen(), 0);
  made(narrow(x, 1, 0, 1), {.mask = Mask::causal()}, &cache);
  EXPECT_ERROR(ValueError, "linear_attention: a state does not know the weights of steps before",
               made(x, {.mask = Mask::causal(), .need_weights = true}, &cache));
}

// A tensor is one of scores, as in attend(): [T, T] says which pairs, also in a batch of T.
TEST(LinearCall, TakesATensorOfKeysAndNoneOfPairs) {
  const NoGrad off;
  manual_seed(7);
  const LinearAttention made({.width = 6, .heads = 2, .dtype = DType::f64});
  const Tensor x = randn({3, 3, 6}, DType::f64);
  const Tensor real = Mask::lengths({3, 1, 2}, 3).tensor({3, 3});
  const Tensor want = made(x, {.mask = Mask::key_padding(real)}).context;
  EXPECT_EQ(numbers(made(x, {.mask = Mask(reshape(real, {3, 1, 1, 3}))}).context), numbers(want));
  const Tensor first = select(real, 0, 1);  // [T], of every row
  EXPECT_EQ(numbers(made(x, {.mask = Mask(first)}).context),
            numbers(made(x, {.mask = Mask::lengths({1, 1, 1}, 3)}).context));
  EXPECT_ERROR(ValueError,
               "linear_attention: a mask must be causal or one of keys: bool[3, 3] is one of "
               "pairs; keys are [B, 1, 1, T], or Mask::key_padding's [B, T]",
               made(x, {.mask = Mask(real)}));
}

TEST(LinearCall, WeightsOfTheFirstStepsAreKnown) {
  const NoGrad off;
  const LinearAttention made({.width = 6, .heads = 2, .dtype = DType::f64});
  const Tensor x = randn({2, 3, 6}, DType::f64);
  const Terms causal{.mask = Mask::causal(), .need_weights = true};
  KeyValueCache cache;
  EXPECT_THAT(numbers(made(x, causal, &cache).weights), near(made(x, causal).weights));
}

TEST(FastWeights, SayWhatDoesNotFitBesideQ) {
  const Tensor q = zeros({2, 3, 5}), v = zeros({2, 3, 7});
  const auto call = [](const FastWeights& x) { fast_weights(x, LinearForm::recurrent); };
  EXPECT_ERROR(ShapeError, "fast_weights: q must be [.., T, K], not f32[5]",
               call({.q = zeros({5}), .k = q, .v = v}));
  EXPECT_ERROR(ShapeError,
               "fast_weights: k must be [.., T, K], not f32[2, 3, 4] beside q f32[2, 3, 5]",
               call({.q = q, .k = zeros({2, 3, 4}), .v = v}));
  EXPECT_ERROR(ShapeError,
               "fast_weights: v must be [.., T, V], not f32[2, 4, 7] beside q f32[2, 3, 5]",
               call({.q = q, .k = q, .v = zeros({2, 4, 7})}));
  EXPECT_ERROR(DTypeError, "fast_weights: k is f64[2, 3, 5], q is f32[2, 3, 5]",
               call({.q = q, .k = zeros({2, 3, 5}, DType::f64), .v = v}));
  EXPECT_NO_THROW(call({.q = q, .k = zeros({1, 3, 5}), .v = zeros({3, 7})}));
}

}  // namespace
}  // namespace heed::attention
