#include "../../../../attention/mechanisms/pairs/stacked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 3, kN = 5, kD = 2, kHidden = 7, kHops = 2;
const std::vector<Index> kPlaces = {3, kN, 0};

// The formulas of the paper, for the rows one by one.
Numbers plain_stacked(const Leaves& p) {
  Numbers contexts, weights[kHops];
  for (std::size_t b = 0; b < kB; ++b) {
    const std::vector<Numbers> v = plain::rows_of(p["image"], b, kPlaces[b]);
    Numbers u = plain::rows_of(p["query"], 0, kB)[b];
    for (std::size_t k = 0; k < kHops; ++k) {
      const std::string hop = "hops." + std::to_string(k) + ".";
      const Numbers asked =
          plain::affine(p[hop + "query_projection.weight"], u, p[hop + "query_projection.bias"]);
      Numbers scores(kN, 0.0);
      for (std::size_t i = 0; i < v.size(); ++i) {
        const Numbers seen = plain::affine(p[hop + "key_projection.weight"], v[i]);
        for (std::size_t h = 0; h < kHidden; ++h) {
          scores[i] += p[hop + "score_vector"](h) * std::tanh(seen[h] + asked[h]);
        }
      }
      const Numbers looked = plain::softmax(scores, kPlaces[b]);
      for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t c = 0; c < kD; ++c) u[c] += looked[i] * v[i][c];
      }
      weights[k].insert(weights[k].end(), looked.begin(), looked.end());
    }
    contexts.insert(contexts.end(), u.begin(), u.end());
  }
  return plain::join({contexts, weights[0], weights[1]});
}

class Stacked : public SeededTest<53> {
 protected:
  const StackedAttention made{{.width = kD, .hidden = kHidden, .hops = kHops, .dtype = DType::f64}};
  // A row of queries: one axis more, as rows_of() wants it.
  Tensor query = randn({1, kB, kD}, DType::f64), image = randn({kB, kN, kD}, DType::f64);

  std::vector<Tensor> run(const Tensor& asked, const Tensor& seen) const {
    const StackedOutput out = made(squeeze(asked, 0), seen, Mask::lengths(kPlaces, kN), true);
    return {out.context, out.weights.at(0), out.weights.at(1)};
  }
};

TEST_F(Stacked, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"query", query}, {"image", image}});
  const auto ours = [&] { return run(query, image); };
  plain::expect_same(leaves, ours, plain_stacked);
  plain::expect_gradients(leaves, ours, 3);
}

TEST_F(Stacked, SeveralQuestionsAreAskedAtOnce) {
  const Tensor second = randn({kB, kD}, DType::f64), first = squeeze(query, 0);
  const StackedOutput both =
      made(concat({unsqueeze(first, 1), unsqueeze(second, 1)}, 1), image, Mask(), true);
  const StackedOutput one = made(first, image), other = made(second, image, Mask(), true);
  EXPECT_TRUE(one.weights.empty());
  EXPECT_THAT(numbers(select(both.context, 1, 0)), near(one.context));
  EXPECT_THAT(numbers(select(both.context, 1, 1)), near(other.context));
  EXPECT_EQ(both.weights.at(1).shape(), (Shape{kB, 2, kN}));
  EXPECT_THAT(numbers(select(both.weights[1], 1, 1)), near(other.weights.at(1)));
}

TEST_F(Stacked, AQuestionGoesOnWhereThereIsNothingToLookAt) {
  const Tensor none = zeros({kB, 0, kD}, DType::f64), asked = squeeze(query, 0);
  EXPECT_EQ(numbers(made(asked, none).context), numbers(asked));
  EXPECT_EQ(numbers(select(run(query, image)[0], 0, 2)), numbers(select(asked, 0, 2)));
}

TEST_F(Stacked, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    const Tensor seen = plain::spoiled(image, kPlaces, value);
    return plain::bits_of(leaves_of(made, {{"query", query}, {"image", seen}}),
                          [&] { return run(query, seen); });
  });
}

TEST_F(Stacked, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "stacked_attention: width 2, hidden 3 and hops 0 must be positive",
               StackedAttention none({.width = 2, .hidden = 3, .hops = 0}));
  EXPECT_ERROR_WITH(ShapeError, "stacked_attention: query must be [B, 2] or [B, Q, 2], not f64[2]",
                    made(select(squeeze(query, 0), 0, 1), image));
  EXPECT_ERROR_WITH(ShapeError, "query", made(randn({kB, 3}, DType::f64), image));
  EXPECT_ERROR_WITH(ShapeError, "query", made(randn({2, kD}, DType::f64), image));
  EXPECT_ERROR_WITH(ShapeError, "image must be",
                    made(squeeze(query, 0), randn({kB, kN, 3}, DType::f64)));
  EXPECT_ERROR_WITH(DTypeError, "image must be f64",
                    made(squeeze(query, 0), to(image, DType::f32)));
}

}  // namespace
}  // namespace heed::attention
