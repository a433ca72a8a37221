#include "../../../../attention/mechanisms/pooling/spatial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/scores/feature_wise.h"
#include "../../../../attention/scores/general.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kC = 5, kH = 3, kW = 7;

// Softmax of dot products over the cells that are real.
TEST(Spatial, OverAGridIsTheDefinition) {
  manual_seed(3);
  const Tensor query = randn({kB, kC}, DType::f64), map = randn({kB, kC, kH, kW}, DType::f64);
  const Tensor real = rand({kB, kH, kW}, DType::f64) > 0.3;
  const Dot dot;
  const auto q = numbers(query), x = numbers(map);
  const auto seen = real.array().to_vector<bool>();
  std::vector<double> weights, contexts;
  for (Index b = 0; b < kB; ++b) {
    std::vector<double> row, context(kC, 0.0);
    double total = 0;
    for (Index cell = 0; cell < kH * kW; ++cell) {
      double score = 0;
      for (Index c = 0; c < kC; ++c) {
        score += at(q, b * kC + c) * at(x, (b * kC + c) * kH * kW + cell);
      }
      row.push_back(seen[static_cast<std::size_t>(b * kH * kW + cell)] ? std::exp(score) : 0);
      total += row.back();
    }
    for (Index cell = 0; cell < kH * kW; ++cell) {
      weights.push_back(at(row, cell) / total);
      for (Index c = 0; c < kC; ++c) {
        context[static_cast<std::size_t>(c)] +=
            weights.back() * at(x, (b * kC + c) * kH * kW + cell);
      }
    }
    contexts.insert(contexts.end(), context.begin(), context.end());
  }
  const Attended out = grid_attention(dot, query, map, {.need_weights = true}, real);
  EXPECT_EQ(out.weights.shape(), (Shape{kB, kH, kW}));
  EXPECT_THAT(numbers(out.weights), near(weights, 1e-10));
  EXPECT_THAT(numbers(out.context), near(contexts, 1e-10));
  // The cells as boxes are the same.
  const Tensor boxes = transpose(flatten(map, 2, 3), 1, 2);
  const Attended same =
      box_attention(dot, query, boxes, {.need_weights = true}, flatten(real, 1, 2));
  EXPECT_THAT(numbers(same.context), near(contexts));
  EXPECT_EQ(same.weights.shape(), (Shape{kB, kH * kW}));
}

TEST(Spatial, SeveralLooksAtOnceAreEachLookAlone) {
  manual_seed(5);
  const Tensor queries = randn({kB, 4, kC}, DType::f64), map = randn({kB, kC, kH, kW}, DType::f64);
  const General general(kC, kC, DType::f64);
  const FeatureWise feature_wise(kC, kC, 2, kC, DType::f64);
  for (const Score* score : std::vector<const Score*>{&general, &feature_wise}) {
    const Terms options{.need_weights = true};
    const Attended all = grid_attention(*score, queries, map, options);
    for (Index i = 0; i < 4; ++i) {
      const Attended one = grid_attention(*score, select(queries, 1, i), map, options);
      EXPECT_THAT(numbers(one.context), near(select(all.context, 1, i)));
      EXPECT_EQ(one.weights.shape(), select(all.weights, 1, i).shape());
      EXPECT_THAT(numbers(one.weights), near(select(all.weights, 1, i)));
    }
  }
}

TEST(Spatial, RefusesWhatDoesNotFit) {
  const Tensor query = zeros({kB, kC}), map = zeros({kB, kC, kH, kW});
  const Tensor real = zeros({kB, kW, kH}) == 0;
  const ScaledDot score;
  const auto refuses = [](auto call, const char* text) {
    EXPECT_ERROR_WITH(ShapeError, text, call());
  };
  refuses([&] { grid_attention(score, query, select(map, 0, 0)); },
          "grid_attention: map must be [B, C, H, W], not f32[5, 3, 7]");
  refuses(
      [&] {
        grid_attention(score, zeros({3, kC}), map);
      },
      "grid_attention: query must be [2, dq] or [2, Q, dq], not f32[3, 5]");
  refuses([&] { grid_attention(score, query, map, {}, real); },
          "grid_attention: real bool[2, 7, 3] does not broadcast to [2, 3, 7]");
  refuses([&] { box_attention(score, query, map); }, "box_attention: boxes must be [B, n, width]");
  refuses(
      [&] {
        box_attention(score, query, zeros({kB, 4, kC}), {}, zeros({kB, 3}) == 0);
      },
      "the mask's keys of [2, 3] do not fit scores [2, 1, 4]");
  refuses([&] { box_attention(score, query, zeros({kB, 4, 3})); }, "keys must be [.., n, 5]");
  EXPECT_ERROR_WITH(DTypeError, "key_padding",
                    grid_attention(score, query, map, {}, zeros({kB, kH, kW})));
  EXPECT_ERROR_WITH(GradError, "grid_attention: query is undefined",
                    grid_attention(score, Tensor(), map));
}

}  // namespace
}  // namespace heed::attention
