#include "../../../../attention/mechanisms/decoders/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "../../query_keys_values.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 4, kK = 5, kDq = 7, kDk = 3, kDv = 2, kHidden = 6;
const std::vector<Index> kLengths = {kK, 3};

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(3, {kB, kQ, kDq}, {kB, kK, kDk}, {kB, kK, kDv}) {}
};

TEST(Coverage, IsTheDefinition) {
  const Inputs in;
  const Coverage made(kDq, kDk, kHidden, DType::f64);
  const auto q = numbers(in.query), k = numbers(in.keys), x = numbers(in.values);
  const auto ws = numbers(made.score.query_projection.weight);
  const auto bias = numbers(made.score.query_projection.bias);
  const auto wh = numbers(made.score.key_projection.weight);
  const auto wc = numbers(made.score.coverage_vector), v = numbers(made.score.score_vector);
  Numbers contexts, weights, losses, coverages;
  for (Index b = 0; b < kB; ++b) {
    Numbers covered(kK, 0.0);
    for (Index t = 0; t < kQ; ++t) {
      Numbers e(kK, 0.0);
      double total = 0, loss = 0;
      for (Index j = 0; j < kLengths[static_cast<std::size_t>(b)]; ++j) {
        double score = 0;
        for (Index h = 0; h < kHidden; ++h) {
          double unit = at(bias, h) + at(wc, h) * at(covered, j);
          for (Index d = 0; d < kDq; ++d) {
            unit += at(ws, h * kDq + d) * at(q, (b * kQ + t) * kDq + d);
          }
          for (Index d = 0; d < kDk; ++d) {
            unit += at(wh, h * kDk + d) * at(k, (b * kK + j) * kDk + d);
          }
          score += at(v, h) * std::tanh(unit);
        }
        e[static_cast<std::size_t>(j)] = std::exp(score);
        total += std::exp(score);
      }
      Numbers context(kDv, 0.0);
      for (Index j = 0; j < kK; ++j) {
        const double a = at(e, j) / total;
        weights.push_back(a);
        for (Index d = 0; d < kDv; ++d) {
          context[static_cast<std::size_t>(d)] += a * at(x, (b * kK + j) * kDv + d);
        }
        loss += std::min(a, at(covered, j));
        covered[static_cast<std::size_t>(j)] += a;
      }
      contexts.insert(contexts.end(), context.begin(), context.end());
      losses.push_back(loss);
    }
    coverages.insert(coverages.end(), covered.begin(), covered.end());
  }
  const CoverageOutput all = made(in.query, in.keys, in.values, Mask::lengths(kLengths, kK));
  EXPECT_THAT(numbers(all.context), near(contexts, 1e-10));
  EXPECT_THAT(numbers(all.weights), near(weights, 1e-10));
  EXPECT_THAT(numbers(all.loss), near(losses, 1e-10));
  EXPECT_THAT(numbers(all.coverage), near(coverages, 1e-10));
  EXPECT_EQ(all.weights.shape(), (Shape{kB, kQ, kK}));

  const auto source = made.prepare(in.keys, in.values, Mask::lengths(kLengths, kK));
  Past past;
  for (Index t = 0; t < kQ; ++t) {
    const CoverageOutput now = made.step(select(in.query, 1, t), source, past);
    EXPECT_THAT(numbers(now.context), near(select(all.context, 1, t)));
    EXPECT_THAT(numbers(now.loss), near(select(all.loss, 1, t)));
  }
}

TEST(Coverage, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "coverage: query_width 1, key_width 0", Coverage made(1, 0, 1));
  const Inputs in;
  const Coverage made(kDq, kDk, kHidden, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "coverage: query must be [B, n, width]",
                    made(select(in.query, 1, 0), in.keys, in.values));
  EXPECT_ERROR_WITH(ShapeError, "coverage: keys must be [.., n, 3]",
                    made(in.query, in.values, in.values));
  EXPECT_ERROR_WITH(ShapeError, "keys must be [.., K, dk] and values",
                    made(in.query, in.keys, narrow(in.values, 1, 0, 4)));
  EXPECT_ERROR_WITH(ShapeError, "do not fit scores [2, 1, 5]",
                    made(in.query, in.keys, in.values, Mask::lengths({1, 1}, 4)));
  const auto source = made.prepare(in.keys, in.values);
  Past past;
  EXPECT_ERROR_WITH(ShapeError, "a step's query must be [2, dq], not",
                    made.step(in.query, source, past));
  EXPECT_TRUE(throws_with<ShapeError>("the past must be f64[2, 1, 5], not f64[2, 1, 4]", [&] {
    Past wrong{.weights = zeros({kB, 1, 4}, DType::f64)};
    made.step(select(in.query, 1, 0), source, wrong);
  }));
  EXPECT_TRUE(throws_with<ShapeError>("coverage: the past must be f64", [&] {
    Past wrong{.weights = zeros({kB, 1, kK})};
    made.step(select(in.query, 1, 0), source, wrong);
  }));
  EXPECT_ERROR_WITH(GradError, "coverage: query is undefined", made.step(Tensor(), source, past));
}

}  // namespace
}  // namespace heed::attention
