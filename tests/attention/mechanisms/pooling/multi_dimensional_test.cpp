#include "../../../../attention/mechanisms/pooling/multi_dimensional.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kE = 3, kHidden = 7;
const std::vector<Index> kLengths = {5, 2};

double product(const Tensor& weight, Index unit, const Numbers& x, Index row) {
  double sum = 0;
  for (Index e = 0; e < kE; ++e) sum += at(numbers(weight), unit * kE + e) * at(x, row * kE + e);
  return sum;
}

// Softmax over the keys for each feature of scores(b, key, feature), and the sum of x.
template <class Scores>
Numbers pooled(const Numbers& x, Index b, Scores scores) {
  Numbers out;
  for (Index e = 0; e < kE; ++e) {
    double total = 0, sum = 0;
    for (Index j = 0; j < kLengths[static_cast<std::size_t>(b)]; ++j) {
      const double weight = std::exp(scores(b * kT + j, e));
      total += weight;
      sum += weight * at(x, (b * kT + j) * kE + e);
    }
    out.push_back(sum / total);
  }
  return out;
}

TEST(MultiDimensional, SourceToTokenIsTheDefinition) {
  manual_seed(3);
  const SourceToToken made(kE, kHidden, DType::f64);
  const Tensor input = randn({kB, kT, kE}, DType::f64);
  const Numbers x = numbers(input), b1 = numbers(made.projection.bias),
                w2 = numbers(made.out.weight), b2 = numbers(made.out.bias);
  Numbers want;
  for (Index b = 0; b < kB; ++b) {
    const Numbers row = pooled(x, b, [&](Index key, Index e) {
      double sum = at(b2, e);
      for (Index h = 0; h < kHidden; ++h) {
        sum += at(w2, e * kHidden + h) *
               std::tanh(product(made.projection.weight, h, x, key) + at(b1, h));
      }
      return sum;
    });
    want.insert(want.end(), row.begin(), row.end());
  }
  EXPECT_THAT(numbers(made(input, Mask::lengths(kLengths, kT)).context), near(want, 1e-10));
}

TEST(MultiDimensional, TokenToTokenIsTheDefinition) {
  manual_seed(5);
  const TokenToToken made(kE, kHidden, DType::f64);
  const FeatureWise& score = made.score;
  const Tensor input = randn({kB, kT, kE}, DType::f64);
  const Numbers x = numbers(input), b1 = numbers(score.query_projection.bias),
                w2 = numbers(score.out.weight), b2 = numbers(score.out.bias);
  Numbers want;
  for (Index query = 0; query < kB * kT; ++query) {
    const Numbers row = pooled(x, query / kT, [&](Index key, Index e) {
      double sum = at(b2, e);
      for (Index h = 0; h < kHidden; ++h) {
        sum += at(w2, e * kHidden + h) *
               std::tanh(product(score.query_projection.weight, h, x, query) +
                         product(score.key_projection.weight, h, x, key) + at(b1, h));
      }
      return sum;
    });
    want.insert(want.end(), row.begin(), row.end());
  }
  EXPECT_THAT(numbers(made(input, Mask::lengths(kLengths, kT)).context), near(want, 1e-10));
}

TEST(MultiDimensional, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "source_to_token: width 0 must be positive", SourceToToken made(0));
  EXPECT_ERROR_WITH(ValueError, "token_to_token: width 3 must be positive, hidden -1 not negative",
                    TokenToToken made(3, -1));
  const SourceToToken source(kE);
  const TokenToToken token(kE);
  EXPECT_ERROR_WITH(ShapeError, "source_to_token: x must be [B, n, width]",
                    source(zeros({kT, kE})));
  EXPECT_ERROR_WITH(ShapeError, "token_to_token: x must be [.., n, 3]", token(zeros({kB, kT, 4})));
  EXPECT_ERROR_WITH(DTypeError, "source_to_token: x must be f32",
                    source(zeros({kB, kT, kE}, DType::f64)));
  EXPECT_ERROR_WITH(GradError, "token_to_token: x is undefined", token(Tensor()));
  EXPECT_ERROR_WITH(ShapeError, "do not fit scores [2, 5]",
                    source(zeros({kB, kT, kE}), Mask::lengths({1, 2}, 4)));
}

}  // namespace
}  // namespace heed::attention
