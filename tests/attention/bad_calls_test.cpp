// What calls refuse, in full: each reason alone, with the numbers that came.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../../attention/attention.h"
#include "../../autograd/factories.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

TEST(BadCalls, OfAttend) {
  const Tensor q = zeros({2, 3, 11}), k = zeros({2, 7, 11}), v = zeros({2, 7, 13});
  EXPECT_ERROR(DTypeError,
               "attend: query and keys differ in dtype: f64[2, 3, 11] and f32[2, 7, 11]",
               attend(zeros({2, 3, 11}, DType::f64), k, v));
  EXPECT_ERROR(DTypeError,
               "attend: keys and values differ in dtype: f32[2, 7, 11] and f64[2, 7, 13]",
               attend(q, k, zeros({2, 7, 13}, DType::f64)));
  EXPECT_ERROR(ShapeError,
               "attend: keys must be [.., K, dk] and values [.., K, dv], not f32[7] and f32[7, 2]",
               attend(q, zeros({7}), zeros({7, 2})));
  EXPECT_ERROR(ShapeError,
               "attend: keys must be [.., K, dk] and values [.., K, dv], not f32[7, 2] and f32[7]",
               attend(q, zeros({7, 2}), zeros({7})));
  EXPECT_ERROR(ShapeError,
               "attend: query must be [.., Q, dq] and keys [.., K, dk], not f32[11] and "
               "f32[2, 7, 11]",
               attend(zeros({11}), k, v));
  EXPECT_ERROR(ShapeError, "attend: a step's query must be [.., dq], not f32[]",
               Memory(k, v).step(zeros({})));
  EXPECT_ERROR(ValueError, "attend: dropout -0.5 is not in [0, 1]",
               attend(q, k, v, {.dropout = -0.5}));
  EXPECT_NO_THROW(attend(q, k, v, {.dropout = 1}));
  Terms tiles{.need_weights = true};
  tiles.tiles_only = true;
  EXPECT_ERROR(ValueError,
               "attend: tiles_only, but scores [2, 3, 7] need their block: the score, the "
               "normaliser or the terms have no tiled form",
               attend(q, k, v, tiles));
}

// A bias may have fewer axes than the scores, and as many of size 1 as it likes; never more.
TEST(BadCalls, OfABiasThatDoesNotBroadcast) {
  const Tensor q = zeros({2, 3, 11}), k = zeros({2, 7, 11}), v = zeros({2, 7, 13});
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 7}, Shape{2, 1, 7}}) {
    EXPECT_NO_THROW(attend(q, k, v, {.bias = zeros(shape)})) << heed::to_string(shape);
  }
  for (const Shape& shape : {Shape{3}, Shape{7, 3}, Shape{3, 3, 7}, Shape{1, 2, 3, 7}}) {
    EXPECT_ERROR(
        ShapeError,
        "attend: bias f32" + heed::to_string(shape) + " does not broadcast to scores [2, 3, 7]",
        attend(q, k, v, {.bias = zeros(shape)}));
  }
  EXPECT_ERROR(ShapeError, "attend: offset_bias must be [.., 9] for scores [2, 3, 7], not f32[]",
               attend(q, k, v, {.offset_bias = zeros({})}));
  EXPECT_ERROR(ShapeError, "attend: sinks f32[3] does not broadcast to scores [2, 3, 7]",
               attend(q, k, v, {.sinks = zeros({3})}));
}

// What a score for each feature, one that looks back, and queries that go on have no place for.
TEST(BadCalls, OfTermsWithoutOneScoreAPlace) {
  const Tensor q = randn({2, 3, 4}), k = randn({2, 7, 4});
  const FeatureWise by_feature(4, 4, 3, 4);
  const LocationAware back({.query_width = 4, .key_width = 4, .hidden = 3, .kernel = 3});
  const Monotonic monotonic;
  const Sparsemax sparsemax;
  const std::string sinks =
      "attend: sinks stand beside one score a place, and queries that know nothing of each other";
  const std::string sums = "attend: log_sums are those of softmax, of one score a place";
  const Score* const scores[] = {&by_feature, &back};
  for (const Score* score : scores) {
    EXPECT_ERROR(ValueError, "attend: a score map takes one score a place",
                 attend(*score, q, k, k, {.map = maps::soft_cap(1)}));
    EXPECT_ERROR(ValueError, sinks, attend(*score, q, k, k, {.sinks = zeros({1})}));
    EXPECT_ERROR(ValueError, sums, attend(*score, q, k, k, {.need_log_sums = true}));
  }
  EXPECT_ERROR(ValueError, "attend: statistics are of one score a place",
               attend(by_feature, q, k, k, {.need_statistics = true}));
  const ScaledDot dot;
  EXPECT_ERROR(ValueError, sinks,
               attend(dot, q, k, k, {.normaliser = &monotonic, .sinks = zeros({1})}));
  EXPECT_ERROR(ValueError, sums,
               attend(dot, q, k, k, {.normaliser = &sparsemax, .need_log_sums = true}));
  const std::string past = "attend: a step that goes on from the one before needs its Past";
  EXPECT_ERROR(ValueError, past, Memory(back, k, k).step(zeros({2, 4})));
  EXPECT_ERROR(ValueError, past, Memory(k, k).step(zeros({2, 4}), {.normaliser = &monotonic}));
  EXPECT_NO_THROW(Memory(k, k).step(zeros({2, 4}), {.normaliser = &sparsemax}));
}

class NoScore : public Score {};

TEST(BadCalls, OfScores) {
  const Tensor q = zeros({3, 5});
  EXPECT_ERROR(ValueError, "score: this one has neither a form() nor an operator() of its own",
               NoScore()(q, q));
  EXPECT_ERROR(ShapeError, "scaled_dot: query must be [.., Q, d], not a number",
               Dot()(zeros({}), q));
  EXPECT_ERROR(DTypeError, "scaled_dot: keys must be f32, not f64[3, 5]",
               Dot()(q, zeros({3, 5}, DType::f64)));
  for (const auto& [dq, dk] : {std::pair<Index, Index>{0, 3}, {3, 0}, {-1, 2}}) {
    EXPECT_ERROR(ValueError,
                 "general: widths " + std::to_string(dq) + " and " + std::to_string(dk) +
                     " must be positive",
                 General(dq, dk));
  }
  EXPECT_ERROR(ValueError, "contextual_positions: width 3 and positions 0 must be positive",
               ContextualPositions(3, 0));
  EXPECT_ERROR(ValueError, "contextual_positions: width 0 and positions 3 must be positive",
               ContextualPositions(0, 3));
  EXPECT_NO_THROW(ContextualPositions(1, 1));
  EXPECT_ERROR(ValueError, "location_aware: kernel 0 must be positive and odd",
               LocationAware({.query_width = 3, .key_width = 5, .hidden = 2, .kernel = 0}));
  EXPECT_ERROR(ValueError, "location_aware: kernel -1 must be positive and odd",
               LocationAware({.query_width = 3, .key_width = 5, .hidden = 2, .kernel = -1}));
  EXPECT_ERROR(ValueError, "monotonic_energy: hidden 0 must be positive, offset -4 finite",
               MonotonicEnergy({.query_width = 3, .key_width = 5}));
  EXPECT_ERROR(ValueError, "monotonic_energy: hidden 2 must be positive, offset inf finite",
               MonotonicEnergy({.query_width = 3,
                                .key_width = 5,
                                .hidden = 2,
                                .offset = std::numeric_limits<double>::infinity()}));
}

TEST(BadCalls, OfMapsAndBiases) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(ValueError, "score_map: soft_cap: cap -1 must be positive", maps::soft_cap(-1));
  EXPECT_ERROR(ValueError, "score_map: soft_cap: cap inf must be positive",
               maps::soft_cap(infinity));
  EXPECT_ERROR(ShapeError, "score_map: by_distance: the table must be [H, D], not f32[3]",
               maps::by_distance(zeros({3}), indices({1}, {1})));
  EXPECT_ERROR(DTypeError, "score_map: by_distance: distances must be i64, not f32[1]",
               maps::by_distance(zeros({3, 2}), zeros({1})));
  struct Sizes {
    Index heads, steps, width;
  };
  for (const Sizes& bad : {Sizes{0, 5, 6}, {3, 0, 6}, {3, 5, 0}, {3, 5, 7}, {3, 5, -2}}) {
    EXPECT_ERROR(ValueError,
                 "score_map: sandwich: heads " + std::to_string(bad.heads) + ", steps " +
                     std::to_string(bad.steps) + " and width " + std::to_string(bad.width) +
                     " must be positive, and the width even",
                 maps::sandwich(bad.heads, bad.steps, bad.width));
  }
  EXPECT_NO_THROW(maps::sandwich(1, 1, 2));
  EXPECT_ERROR(ValueError, "gaussian_bias: sigma inf must be positive",
               gaussian_bias(zeros({3}), 5, infinity));
  EXPECT_ERROR(ShapeError, "gaussian_bias: 3 queries and -1 keys",
               gaussian_bias(zeros({3}), -1, 1));
  EXPECT_EQ(gaussian_bias(zeros({3}), 0, 1).shape(), (Shape{3, 0}));
  EXPECT_ERROR(ShapeError, "gaussian_bias: centres must be [.., Q], not a number",
               gaussian_bias(zeros({}), 5, 1));
  const Alibi alibi(2);
  EXPECT_ERROR(ShapeError, "bias: -1 queries and 5 keys", alibi.offsets(-1, 5));
  EXPECT_ERROR(ShapeError, "bias: 3 queries and -2 keys", alibi.offsets(3, -2));
  EXPECT_EQ(alibi.offsets(0, 0).shape(), (Shape{2, 0}));
  EXPECT_ERROR(ValueError, "alibi: heads 0 must be positive", Alibi(0));
  EXPECT_ERROR(ValueError, "alibi: heads -1 must be positive", Alibi(-1));
  EXPECT_ERROR(ShapeError, "alibi: slopes must be [H], not f32[2, 1]", Alibi(zeros({2, 1})));
  EXPECT_ERROR(ValueError, "t5: heads 0 must be positive", T5Bias({.heads = 0}));
}

TEST(BadCalls, OfNormalisersAndMerge) {
  EXPECT_ERROR(ShapeError,
               "monotonic: scores must be [.., Q, K] or [.., Q, K, d], not f32[3], axis 0",
               Monotonic()(zeros({3})));
  EXPECT_ERROR(ShapeError,
               "mocha: scores must be [.., Q, K] or [.., Q, K, d], not f32[2, 3], axis 0",
               Mocha(2)(zeros({2, 3}), Tensor(), -2));
  EXPECT_ERROR(ShapeError,
               "monotonic: scores must be [.., Q, K] or [.., Q, K, d], not f32[2, 3, 5], axis 0",
               Monotonic()(zeros({2, 3, 5}), Tensor(), 0));
  EXPECT_NO_THROW(Monotonic()(zeros({2, 3, 5}), Tensor(), 1));
  EXPECT_ERROR(ValueError, "monotonic: noise -0.5 must not be negative", Monotonic(-0.5));
  EXPECT_ERROR(ValueError, "monotonic: noise nan must not be negative", Monotonic(std::nan("")));
  EXPECT_ERROR(ValueError, "entmax: alpha inf must be above 1",
               Entmax({.alpha = std::numeric_limits<double>::infinity()}));
  EXPECT_ERROR(ValueError, "temperature: beta inf must be positive",
               Temperature(std::numeric_limits<double>::infinity()));
  const Tensor x = randn({2, 3, 5}), y = randn({2, 4, 5});
  const Attended a = attend(x, x, x, {.need_log_sums = true});
  const Attended b = attend(y, y, y, {.need_log_sums = true});
  EXPECT_ERROR(ValueError, "merge: part 1 has no log_sums: ask for need_log_sums",
               merge({a, attend(x, x, x)}));
  EXPECT_ERROR(ValueError, "merge: part 0 has no log_sums: ask for need_log_sums",
               merge({Attended{Tensor(), {}, {}, a.log_sums}, a}));
  EXPECT_ERROR(ShapeError,
               "merge: part 1, f32[2, 4, 5] with log_sums f32[2, 4], differs from f32[2, 3, 5]",
               merge({a, b}));
  EXPECT_ERROR(ShapeError,
               "merge: part 1, f32[2, 3, 5] with log_sums f32[2, 4], differs from f32[2, 3, 5]",
               merge({a, Attended{a.context, {}, {}, b.log_sums}}));
}

TEST(BadCalls, OfPositions) {
  EXPECT_ERROR(ValueError,
               "relative: key width 0 must be positive, value width 3 and clip 2 not negative",
               RelativePositions({.key_width = 0, .value_width = 3, .clip = 2}));
  EXPECT_ERROR(ValueError,
               "relative: key width 5 must be positive, value width -1 and clip 2 not negative",
               RelativePositions({.key_width = 5, .value_width = -1, .clip = 2}));
  EXPECT_ERROR(ValueError,
               "relative: key width 5 must be positive, value width 3 and clip -1 not negative",
               RelativePositions({.key_width = 5, .value_width = 3, .clip = -1}));
  const RelativePositions least({.key_width = 1, .clip = 0});
  EXPECT_EQ(least.keys.shape(), (Shape{1, 1}));
  EXPECT_FALSE(least.values.defined());
  const RelativePositions relative({.key_width = 3});
  EXPECT_ERROR(ShapeError, "relative: query must be [.., Q, 3], not f32[3]",
               relative.scores(zeros({3}), 5, 1));
  EXPECT_ERROR(ShapeError, "relative: query must be [.., Q, 3], not f32[2, 5]",
               relative.scores(zeros({2, 5}), 5, 1));
  EXPECT_ERROR(ValueError, "rotary: width -2 must be even and not negative",
               rotary(zeros({3, 4}), RotaryOptions{.width = -2}));
  EXPECT_ERROR(ValueError, "rotary: width 3 must be even and not negative",
               rotary(zeros({3, 4}), RotaryOptions{.width = 3}));
  EXPECT_ERROR(ShapeError, "rotary: width 6 is more than the 4 features of x, f32[3, 4]",
               rotary(zeros({3, 4}), RotaryOptions{.width = 6}));
  EXPECT_NO_THROW(rotary(zeros({3, 4}), RotaryOptions{.width = 4}));
  EXPECT_ERROR(ValueError, "rotary: width -2 must be even and not negative",
               rotary_frequencies(-2));
  EXPECT_ERROR(ValueError, "rotary: factor 0.5 must be finite and at least 1",
               rotary_frequencies(4, 10000, {.factor = 0.5}));
  EXPECT_ERROR(ValueError, "rotary: steps -1 must be finite and not negative",
               rotary_frequencies(4, 10000, {}, -1));
  for (const auto& [steps, width] : {std::pair<Index, Index>{0, 3}, {3, 0}}) {
    EXPECT_ERROR(ValueError,
                 "learned_positions: max_steps " + std::to_string(steps) + " and width " +
                     std::to_string(width) + " must be positive",
                 LearnedPositions(steps, width));
  }
}

}  // namespace
}  // namespace heed::attention
