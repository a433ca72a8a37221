#include "../../../../attention/mechanisms/decoders/pointer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kDq = 7, kDk = 4, kHidden = 2;
constexpr double kNever = -std::numeric_limits<double>::infinity();

TEST(Pointer, IsTheDefinition) {
  manual_seed(3);
  const Pointer point(kDq, kDk, kHidden, DType::f64);
  const Tensor query = randn({kB, kQ, kDq}, DType::f64), keys = randn({kB, kK, kDk}, DType::f64);
  const std::vector<Index> lengths = {kK, 2};
  const auto q = numbers(query), k = numbers(keys), v = numbers(point.score.score_vector);
  const auto w1 = numbers(point.score.query_projection.weight);
  const auto w2 = numbers(point.score.key_projection.weight);
  const auto have = numbers(point(query, keys, Mask::lengths(lengths, kK)));
  for (Index row = 0; row < kB * kQ; ++row) {
    const Index b = row / kQ;
    std::vector<double> scores;
    double total = 0;
    for (Index j = 0; j < lengths[static_cast<std::size_t>(b)]; ++j) {
      double score = 0;
      for (Index h = 0; h < kHidden; ++h) {
        double unit = 0;
        for (Index d = 0; d < kDq; ++d) unit += at(w1, h * kDq + d) * at(q, row * kDq + d);
        for (Index d = 0; d < kDk; ++d) {
          unit += at(w2, h * kDk + d) * at(k, (b * kK + j) * kDk + d);
        }
        score += at(v, h) * std::tanh(unit);
      }
      scores.push_back(score);
      total += std::exp(score);
    }
    for (Index j = 0; j < kK; ++j) {
      if (j < static_cast<Index>(scores.size())) {
        EXPECT_NEAR(at(have, row * kK + j), at(scores, j) - std::log(total), 1e-10);
      } else {
        EXPECT_EQ(at(have, row * kK + j), kNever);
      }
    }
  }
}

TEST(Pointer, LogarithmsOfWhatHardlyEverHappensAreExact) {
  Pointer point(1, 1, 1, DType::f64);
  point.score.score_vector.set_array(Array::full(Shape{1}, 1000, DType::f64));
  point.score.key_projection.weight.set_array(Array::full(Shape{1, 1}, 1, DType::f64));
  const Tensor p = point(zeros({1, 1, 1}, DType::f64), tensor({0.0, 20.0}, {1, 2, 1}, DType::f64));
  EXPECT_NEAR(numbers(p)[0], -1000 * std::tanh(20.0), 1e-9);
}

TEST(Pointer, LossesOfWhatCanBePointedToPassTheChecks) {
  manual_seed(5);
  Pointer point(kDq, kDk, kHidden, DType::f64);
  Tensor query = randn({kB, kQ, kDq}, DType::f64), keys = randn({kB, kK, kDk}, DType::f64);
  const auto loss = [&] { return narrow(point(query, keys, Mask::lengths({kK, 2}, kK)), 2, 0, 2); };
  const std::vector<NamedLeaf> leaves = {{"query", query.set_requires_grad()},
                                         {"keys", keys.set_requires_grad()}};
  const auto first = nn::gradcheck(point, loss, {}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(point, loss, {.max_elements = 8}, leaves);
  EXPECT_TRUE(second) << second.text();
}

TEST(Pointer, ToNothingIsImpossibleAndWithoutGradient) {
  manual_seed(7);
  const Pointer point(kDq, kDk, kHidden, DType::f64);
  Tensor query = randn({kB, kQ, kDq}, DType::f64);
  const Tensor keys = randn({kB, kK, kDk}, DType::f64);
  query.set_requires_grad();
  const Tensor p = point(query, keys, Mask::lengths({0, 1}, kK));
  for (const double x : numbers(narrow(p, 0, 0, 1))) EXPECT_EQ(x, kNever);
  p.backward(full(p.shape(), 1e9, DType::f64));
  EXPECT_EQ(numbers(sum(abs(query.grad()))), std::vector<double>{0});
}

TEST(Pointer, OnlyThoseWhoSeeItNoticeAKeyThatIsNotFinite) {
  manual_seed(9);
  const Pointer point(kDq, kDk, kHidden, DType::f64);
  const Tensor query = randn({kB, kQ, kDq}, DType::f64);
  Array keys = randn({kB, kK, kDk}, DType::f64).array().clone();
  keys.mutable_data<double>()[4 * kDk] = std::numeric_limits<double>::quiet_NaN();
  Array allowed = Array::full(Shape{kB, kQ, kK}, 1, DType::boolean);
  for (const Index row : {0, 2}) allowed.mutable_data<bool>()[row * kK + 4] = false;
  const Tensor sums = logsumexp(point(query, Tensor(keys), Mask(Tensor(allowed))), {-1});
  const auto have = numbers(sums);
  for (const std::size_t row : {0U, 2U, 3U, 4U, 5U}) EXPECT_NEAR(have[row], 0, 1e-12);
  EXPECT_TRUE(std::isnan(have[1]));
}

TEST(Pointer, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "pointer: query_width 0, key_width 1", Pointer point(0, 1, 1));
  const Pointer point(kDq, kDk, kHidden);
  const Tensor query = zeros({kB, kQ, kDq}), keys = zeros({kB, kK, kDk});
  EXPECT_ERROR_WITH(ShapeError, "pointer: query must be [B, n, width]",
                    point(select(query, 1, 0), keys));
  EXPECT_ERROR_WITH(ShapeError, "keys must be [.., n, 4]", point(query, zeros({kB, kK, 3})));
  EXPECT_ERROR_WITH(ShapeError, "pointer: 2 rows of queries and 1 of keys",
                    point(query, narrow(keys, 0, 0, 1)));
  EXPECT_ERROR_WITH(ShapeError, "pointer: the mask's lengths of [2, 4]",
                    point(query, keys, Mask::lengths({1, 1}, 4)));
  EXPECT_ERROR_WITH(DTypeError, "keys must be f32", point(query, zeros({kB, kK, kDk}, DType::f64)));
  EXPECT_ERROR_WITH(GradError, "pointer: query is undefined", point(Tensor(), keys));
}

}  // namespace
}  // namespace heed::attention
