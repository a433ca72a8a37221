// Each score against its formula, element by element; sizes are distinct primes.
#include "../../attention/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "../../attention/attend.h"
#include "../../attention/scores/additive.h"
#include "../../attention/scores/feature_wise.h"
#include "../../attention/scores/general.h"
#include "../../attention/scores/location.h"
#include "../../attention/scores/monotonic_energy.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kDq = 7, kDk = 11, kHidden = 13;

using Vector = std::vector<double>;

// x[b][row] of [B, n, d]; also x[row] of [n, d].
Vector row(const Tensor& x, Index b, Index i) {
  return (x.rank() == 3 ? select(select(x, 0, b), 0, i) : select(x, 0, i))
      .array()
      .to_vector<double>();
}

double dot(const Vector& a, const Vector& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// matrix [out, in] times x.
Vector times(const Tensor& matrix, const Vector& x) {
  Vector out;
  for (Index i = 0; i < matrix.size(0); ++i) out.push_back(dot(row(matrix, 0, i), x));
  return out;
}

Vector plus(const Vector& a, const Vector& b) {
  Vector out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] + b[i]);
  return out;
}

Vector tanh_of(Vector x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}

struct Inputs {
  Tensor query, keys;
  explicit Inputs(Index dq = kDq, Index dk = kDk) {
    manual_seed(2);
    query = randn({kB, kQ, dq}, DType::f64);
    keys = randn({kB, kK, dk}, DType::f64);
  }
};

void expect_scores(const Tensor& scores, const std::function<double(Index, Index, Index)>& of) {
  ASSERT_EQ(scores.shape(), (Shape{kB, kQ, kK}));
  const Vector got = numbers(scores);
  std::size_t at = 0;
  for (Index b = 0; b < kB; ++b) {
    for (Index i = 0; i < kQ; ++i) {
      for (Index j = 0; j < kK; ++j) EXPECT_NEAR(got[at++], of(b, i, j), 1e-12);
    }
  }
}

// Beyond its reach a location-based score has no words, as in the paper: nobody attends to them.
TEST(LocationBasedScore, IgnoresWhatStandsBeyondItsReach) {
  manual_seed(3);
  LocationBased few(5, 3, DType::f64), many(5, 7, DType::f64);
  many.weight.set_array(concat({few.weight, randn({4, 5}, DType::f64)}, 0).array());
  const Tensor query = randn({2, 4, 5}, DType::f64), keys = randn({2, 7, 2}, DType::f64);
  const Tensor values = randn({2, 7, 3}, DType::f64);
  for (const bool need_weights : {false, true}) {
    const Attended out = attend(few, query, keys, values, {.need_weights = need_weights});
    const Attended want = attend(many, query, keys, values,
                                 {.mask = Mask::lengths({3, 3}, 7), .need_weights = need_weights});
    EXPECT_THAT(numbers(out.context), near(want.context));
    if (need_weights) {
      EXPECT_THAT(numbers(out.weights), near(want.weights));
    }
  }
}

TEST(Score, DotAndScaledDot) {
  const Inputs in(kDk, kDk);
  const auto product = [&](Index b, Index i, Index j) {
    return dot(row(in.query, b, i), row(in.keys, b, j));
  };
  expect_scores(Dot()(in.query, in.keys), product);
  expect_scores(ScaledDot()(in.query, in.keys),
                [&](Index b, Index i, Index j) { return product(b, i, j) / std::sqrt(11.0); });
  expect_scores(ScaledDot(-0.3)(in.query, in.keys),
                [&](Index b, Index i, Index j) { return product(b, i, j) * -0.3; });
}

TEST(Score, General) {
  const Inputs in;
  const General score(kDq, kDk, DType::f64);
  EXPECT_LE(amax(abs(score.weight)).item(), 1 / std::sqrt(11.0));
  const Tensor turned = transpose(score.weight, 0, 1);  // [dk, dq]
  expect_scores(score(in.query, score.prepare(in.keys)), [&](Index b, Index i, Index j) {
    return dot(times(turned, row(in.query, b, i)), row(in.keys, b, j));
  });
}

TEST(Score, Additive) {
  const Inputs in;
  for (const bool with_bias : {false, true}) {
    const Additive score(kDq, kDk, kHidden, with_bias, DType::f64);
    EXPECT_EQ(score.parameters().size(), with_bias ? 4U : 3U);
    const Tensor prepared = score.prepare(in.keys);
    EXPECT_EQ(prepared.shape(), (Shape{kB, kK, kHidden}));
    expect_scores(score(in.query, prepared), [&](Index b, Index i, Index j) {
      Vector inside = plus(times(score.query_projection.weight, row(in.query, b, i)),
                           times(score.key_projection.weight, row(in.keys, b, j)));
      if (with_bias) inside = plus(inside, numbers(score.query_projection.bias));
      return dot(numbers(score.score_vector), tanh_of(inside));
    });
  }
}

TEST(Score, MonotonicEnergy) {
  const Inputs in;
  const MonotonicEnergy score(
      {.query_width = kDq, .key_width = kDk, .hidden = kHidden, .offset = -3, .dtype = DType::f64});
  EXPECT_EQ(score.parameters().size(), 6U);
  EXPECT_EQ(score.offset.array().item(), -3);
  EXPECT_NEAR(score.gain.array().item(), 1 / std::sqrt(13.0), 1e-15);
  score.gain.set_array(Array::full({}, 1.7, DType::f64));
  const Tensor prepared = score.prepare(in.keys);
  EXPECT_EQ(prepared.shape(), (Shape{kB, kK, kHidden}));
  const Vector v = numbers(score.score_vector);
  expect_scores(score(in.query, prepared), [&](Index b, Index i, Index j) {
    const Vector inside = plus(plus(times(score.query_projection.weight, row(in.query, b, i)),
                                    times(score.key_projection.weight, row(in.keys, b, j))),
                               numbers(score.query_projection.bias));
    return 1.7 * dot(v, tanh_of(inside)) / std::sqrt(dot(v, v)) - 3;
  });
  EXPECT_ERROR_WITH(ValueError, "hidden 0 must be positive",
                    MonotonicEnergy made({.query_width = 3, .key_width = 5}));
  EXPECT_ERROR_WITH(ValueError, "offset inf",
                    MonotonicEnergy made({.query_width = 3,
                                          .key_width = 5,
                                          .hidden = 2,
                                          .offset = std::numeric_limits<double>::infinity()}));
}

TEST(Score, LocationBased) {
  const Inputs in;
  const LocationBased score(kDq, 17, DType::f64);
  const Tensor prepared = score.prepare(in.keys);
  EXPECT_EQ(prepared.shape(), (Shape{kB, kK, kDq}));
  expect_scores(score(in.query, prepared), [&](Index b, Index i, Index j) {
    return dot(row(score.weight, 0, j), row(in.query, b, i));
  });
}

// Keys that stand amid others, whose weights the convolution sees.
TEST(Score, LocationAwareSeesWeightsBesideTheKeys) {
  const LocationAware score({.query_width = kDq,
                             .key_width = kDk,
                             .hidden = kHidden,
                             .filters = 2,
                             .kernel = 5,
                             .dtype = DType::f64});
  const Tensor query = randn({kB, kQ, kDq}, DType::f64), last = rand({kB, kQ, 13}, DType::f64);
  const Tensor keys = score.prepare(randn({kB, 13, kDk}, DType::f64));
  const Tensor all = score(query, keys, last);
  const Tensor some = score(query, narrow(keys, 1, 4, 6), narrow(last, 2, 2, 10));
  EXPECT_LT(sum(abs(some - narrow(all, 2, 4, 6))).item(), 1e-12);
}

TEST(Score, LocationAware) {
  const Inputs in;
  const LocationAware score({.query_width = kDq,
                             .key_width = kDk,
                             .hidden = kHidden,
                             .filters = 2,
                             .kernel = 3,
                             .dtype = DType::f64});
  const Tensor last = rand({kB, kQ, kK}, DType::f64);
  const auto expected = [&](const Tensor& weights) {
    return [&](Index b, Index i, Index j) {
      Vector inside = plus(plus(times(score.query_projection.weight, row(in.query, b, i)),
                                times(score.key_projection.weight, row(in.keys, b, j))),
                           numbers(score.query_projection.bias));
      if (weights.defined()) {
        const Vector before = row(weights, b, i);
        Vector features(2, 0.0);
        for (Index f = 0; f < 2; ++f) {
          const Vector filter = numbers(select(select(score.location.weight, 0, f), 0, 0));
          for (Index t = 0; t < 3; ++t) {
            const Index at = j + t - 1;
            if (at < 0 || at >= kK) continue;
            features[static_cast<std::size_t>(f)] +=
                filter[static_cast<std::size_t>(t)] * before[static_cast<std::size_t>(at)];
          }
        }
        inside = plus(inside, times(score.location_projection.weight, features));
      }
      return dot(numbers(score.score_vector), tanh_of(inside));
    };
  };
  const Tensor prepared = score.prepare(in.keys);
  expect_scores(score(in.query, prepared, last), expected(last));
  expect_scores(score(in.query, prepared), expected(Tensor()));
}

TEST(Score, FeatureWise) {
  constexpr Index kD = 17;
  const Inputs in;
  const FeatureWise score(kDq, kDk, kHidden, kD, DType::f64);
  const Tensor scores = score(in.query, score.prepare(in.keys));
  ASSERT_EQ(scores.shape(), (Shape{kB, kQ, kK, kD}));
  for (Index d = 0; d < kD; ++d) {
    expect_scores(select(scores, 3, d), [&](Index b, Index i, Index j) {
      const Vector inside = plus(plus(times(score.query_projection.weight, row(in.query, b, i)),
                                      numbers(score.query_projection.bias)),
                                 times(score.key_projection.weight, row(in.keys, b, j)));
      return dot(row(score.out.weight, 0, d), tanh_of(inside)) +
             numbers(score.out.bias)[static_cast<std::size_t>(d)];
    });
  }
}

TEST(Score, LeadingAxesBroadcast) {
  const Tensor query = randn({kB, 3, 1, kDk}, DType::f64);
  const Tensor keys = randn({1, 1, kK, kDk}, DType::f64);
  const General general(kDk, kDk, DType::f64);
  const Additive additive(kDk, kDk, kHidden, false, DType::f64);
  const LocationBased location(kDk, kK, DType::f64);
  const Dot dot_score;
  for (const Score* score :
       std::initializer_list<const Score*>{&dot_score, &general, &additive, &location}) {
    const Tensor scores = (*score)(query, score->prepare(keys));
    ASSERT_EQ(scores.shape(), (Shape{kB, 3, 1, kK}));
    const Tensor one = (*score)(select(select(query, 0, 1), 0, 2),
                                score->prepare(select(select(keys, 0, 0), 0, 0)));
    EXPECT_THAT(numbers(select(select(scores, 0, 1), 0, 2)),
                testing::Pointwise(testing::DoubleNear(1e-12), numbers(one)));
  }
}

TEST(Score, RefusesWhatDoesNotFit) {
  const Tensor query = zeros({kB, kQ, kDq}), keys = zeros({kB, kK, kDk});
  EXPECT_ERROR_WITH(ShapeError, "scaled_dot: keys must be [.., n, 7], not f32[2, 5, 11]",
                    ScaledDot()(query, keys));
  EXPECT_ERROR_WITH(DTypeError, "scaled_dot: keys must be f32",
                    Dot()(query, to(zeros({kB, kK, kDq}), DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "scaled_dot", Dot()(query, zeros({3, kK, kDq})));
  EXPECT_ERROR_WITH(GradError, "scaled_dot: keys is undefined", Dot()(query, Tensor()));
  EXPECT_ERROR_WITH(ValueError, "scale nan is not finite", ScaledDot score(std::nan("")));
  EXPECT_ERROR_WITH(ShapeError, "general: query must be [.., n, 11]",
                    General(kDk, kDk)(query, keys));
  EXPECT_ERROR_WITH(ShapeError, "general: keys must be [.., n, 7]", General(kDq, kDq)(query, keys));
  EXPECT_ERROR_WITH(ValueError, "general: widths 0 and 3 must be positive", General score(0, 3));
  EXPECT_ERROR_WITH(ShapeError, "additive: keys must be [.., n, 7]",
                    Additive(kDq, kDq, 3).prepare(keys));
  EXPECT_ERROR_WITH(ShapeError, "additive: query must be [.., n, 11]",
                    Additive(kDk, kDk, 3)(query, zeros({kB, kK, 3})));
  EXPECT_ERROR_WITH(ShapeError, "additive: prepared keys must be [.., n, 3]",
                    Additive(kDq, kDk, 3)(query, keys));
  EXPECT_ERROR_WITH(ValueError, "positive", Additive score(3, 5, 0));
  EXPECT_ERROR(ShapeError, "location_based: keys must be [.., K, dk], not f32[4]",
               LocationBased(kDq, 4).prepare(zeros({4})));
  EXPECT_ERROR_WITH(ShapeError,
                    "location_based: prepared keys must be [.., n, 7], not f32[2, 5, 11]",
                    LocationBased(kDq, kK)(query, keys));
  EXPECT_ERROR_WITH(ValueError, "max_keys 0 must be positive", LocationBased score(3, 0));
  const LocationAwareOptions aware{
      .query_width = kDq, .key_width = kDk, .hidden = 3, .filters = 2, .kernel = 5};
  EXPECT_ERROR_WITH(ShapeError, "location_aware: last weights must be [.., n, 5], not f32[2, 3, 4]",
                    LocationAware{aware}(query, zeros({kB, kK, 3}), zeros({kB, kQ, 4})));
  EXPECT_TRUE(throws_with<ValueError>("kernel 4 must be positive and odd", [&] {
    LocationAwareOptions even = aware;
    even.kernel = 4;
    LocationAware score(even);
  }));
  EXPECT_ERROR_WITH(ShapeError, "feature_wise: prepared keys",
                    FeatureWise(kDq, kDk, 3, 2)(query, keys));
}

}  // namespace
}  // namespace heed::attention
