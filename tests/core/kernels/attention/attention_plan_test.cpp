// What attention's operands and terms must be, to the last number that fits; and how work is cut.
#include "../../../../core/kernels/attention/attention_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../../../../core/precision.h"
#include "../../../../core/simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

Array zeros(const Shape& shape, DType dtype = DType::f64) { return Array::zeros(shape, dtype); }

// 2 batches of 3 heads, 5 queries, 7 keys.
void plan_with(const AttentionTerms& terms) {
  const AttentionPlan plan("attend", {zeros({2, 3, 5, 4}), zeros({2, 3, 7, 4}), {}},
                           zeros({2, 3, 7, 6}), terms);
  EXPECT_EQ(plan.Q, 5);
  EXPECT_EQ(plan.K, 7);
  EXPECT_EQ(plan.Dv, 6);
}

TEST(AttentionTermsCheck, NumbersReachToTheirBounds) {
  EXPECT_NO_THROW(plan_with({.left = -1, .right = -1}));
  EXPECT_NO_THROW(plan_with({.left = 0, .right = std::numeric_limits<Index>::max()}));
  EXPECT_NO_THROW(plan_with({.blocks = {1, 99}, .dropout = 1}));
  EXPECT_ERROR(ValueError, "attend: window of -2 to the left and 3 to the right; -1 is no bound",
               plan_with({.left = -2, .right = 3}));
  EXPECT_ERROR(ValueError, "attend: window of 0 to the left and -2 to the right; -1 is no bound",
               plan_with({.left = 0, .right = -2}));
  EXPECT_ERROR(ValueError, "attend: block of 0 must be positive", plan_with({.blocks = {3, 0}}));
  EXPECT_ERROR(ValueError, "attend: dropout -0.01 is not in [0, 1]", plan_with({.dropout = -0.01}));
  EXPECT_ERROR(ValueError, "attend: dropout 1.01 is not in [0, 1]", plan_with({.dropout = 1.01}));
  EXPECT_ERROR(ValueError, "attend: dropout nan is not in [0, 1]", plan_with({.dropout = NAN}));
  EXPECT_ERROR(ValueError, "attend: scale inf is no number", plan_with({.scale = INFINITY}));
  EXPECT_NO_THROW(plan_with({.scale = -1e39}));  // in f64
  const auto in_f32 = [](double scale) {
    const Array x = zeros({3, 2}, DType::f32);
    return AttentionPlan("attend", {x, x, {}}, x, {.scale = scale}).scale;
  };
  EXPECT_EQ(in_f32(-3e38), -3e38);
  EXPECT_ERROR(ValueError, "attend: f32 does not hold the scale 1e+39", in_f32(1e39));
  EXPECT_ERROR(ValueError, "attend: f32 does not hold the scale -1e+39", in_f32(-1e39));
}

TEST(AttentionTermsCheck, LengthsBeginTheLeadingAxes) {
  const auto lengths = [](const std::vector<std::int64_t>& values, const Shape& shape) {
    return AttentionTerms{.lengths = Array::from(values, shape)};
  };
  EXPECT_NO_THROW(plan_with(lengths({0, 7}, {2})));
  EXPECT_NO_THROW(plan_with(lengths({0, 7, 1, 2, 3, 4}, {2, 3})));
  EXPECT_NO_THROW(plan_with(lengths({7}, {})));
  EXPECT_ERROR(ValueError, "attend: length 8 at 1 is not in [0, 7]",
               plan_with(lengths({0, 8}, {2})));
  EXPECT_ERROR(ValueError, "attend: length -1 at 0 is not in [0, 7]",
               plan_with(lengths({-1, 3}, {2})));
  EXPECT_ERROR(ShapeError, "attend: lengths i64[3] do not begin the leading axes [2, 3]",
               plan_with(lengths({1, 2, 3}, {3})));
  EXPECT_ERROR(DTypeError, "attend: lengths must be i64, not f64[2]",
               plan_with({.lengths = zeros({2})}));
}

TEST(AttentionTermsCheck, SegmentsCoverTheKeys) {
  const std::string message =
      "attend: segments must begin at 0, not fall, and end at the number of "
      "keys, 7, not ";
  EXPECT_NO_THROW(plan_with({.segments = {0, 7}}));
  EXPECT_NO_THROW(plan_with({.segments = {0, 3, 3, 7}}));
  EXPECT_ERROR(ValueError, message + "1 .. 7", plan_with({.segments = {1, 7}}));
  EXPECT_ERROR(ValueError, message + "0 .. 6", plan_with({.segments = {0, 6}}));
  EXPECT_ERROR(ValueError, message + "0 .. 7", plan_with({.segments = {0, 5, 3, 7}}));
}

TEST(AttentionTermsCheck, BiasesAndMasksBroadcastToTheScores) {
  EXPECT_NO_THROW(plan_with({.allowed = zeros({7}, DType::boolean), .bias = zeros({3, 1, 7})}));
  EXPECT_NO_THROW(plan_with({.offset_bias = zeros({3, 11}), .sinks = zeros({3})}));
  EXPECT_ERROR(DTypeError, "attend: allowed must be bool, not i64[7]",
               plan_with({.allowed = zeros({7}, DType::i64)}));
  EXPECT_ERROR(ShapeError, "attend: allowed bool[5] does not broadcast to the scores [2, 3, 5, 7]",
               plan_with({.allowed = zeros({5}, DType::boolean)}));
  EXPECT_ERROR(ShapeError,
               "attend: bias f64[1, 2, 3, 5, 7] does not broadcast to the scores [2, 3, 5, 7]",
               plan_with({.bias = zeros({1, 2, 3, 5, 7})}));
  EXPECT_ERROR(DTypeError, "attend: bias must be f64, not f32[7]",
               plan_with({.bias = zeros({7}, DType::f32)}));
  EXPECT_ERROR(DTypeError, "attend: sinks must be f64, not f32[3]",
               plan_with({.sinks = zeros({3}, DType::f32)}));
  EXPECT_ERROR(ShapeError, "attend: sinks f64[2] does not broadcast to the scores [2, 3]",
               plan_with({.sinks = zeros({2})}));
  EXPECT_ERROR(ShapeError,
               "attend: offset_bias must be [.., 11] for scores [2, 3, 5, 7], not f64[3, 12]",
               plan_with({.offset_bias = zeros({3, 12})}));
  EXPECT_ERROR(ShapeError,
               "attend: offset_bias must be [.., 11] for scores [2, 3, 5, 7], not f64[]",
               plan_with({.offset_bias = zeros({})}));
  EXPECT_ERROR(ShapeError,
               "attend: offset_bias f64[2, 11] does not broadcast to the scores "
               "[2, 3, 11]",
               plan_with({.offset_bias = zeros({2, 11})}));
}

// Every tile of every unit is in one task.
TEST(AttentionCut, HandsOutEachTileOnce) {
  for (const Index queries : {0, 1, 3, 63, 64, 65, 200, 1000}) {
    for (const Index heads : {0, 1, 5, 70}) {
      const Array q = zeros({3, heads, queries, 2}, DType::f32);
      const Array k = zeros({3, 1, 9, 2}, DType::f32);
      const AttentionPlan plan("test", {q, k, {}}, k, {});
      const LeadingAxes axes(plan.lead, plan.shared);
      const Index tiles = plan.tiles(axes, 64);
      for (const Index most : {1, 3, 8}) {
        const AttentionCut cut(plan, axes, 64, most, 16);
        std::vector<int> seen(static_cast<std::size_t>(axes.units() * tiles));
        for (Index i = 0; i < cut.tasks(); ++i) {
          const AttentionCut::Task task = cut.task(i);
          ASSERT_TRUE(task.part >= 0 && task.part < cut.parts());
          ASSERT_LE(task.end - task.begin, most);
          for (Index t = task.begin; t < task.end; ++t) {
            ++seen[static_cast<std::size_t>(task.unit * tiles + t)];
          }
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << queries << " x " << heads;
      }
      // And the tiles hold every query of every head once.
      std::vector<int> held(static_cast<std::size_t>(heads * queries));
      QueryTile tile;
      for (Index t = 0; t < tiles; ++t) {
        plan.fill(axes, 64, 1, t, tile);
        ASSERT_LE(tile.count, 64);
        for (Index r = 0; r < tile.run_count; ++r) {
          const QueryTile::Run& run = tile.runs[static_cast<std::size_t>(r)];
          EXPECT_EQ(&tile.run_of(run.row), &run);
          EXPECT_EQ(&tile.run_of(run.row + run.count - 1), &run);
          for (Index i = 0; i < run.count; ++i) {
            ++held[static_cast<std::size_t>(run.member * queries + run.query + i)];
          }
        }
      }
      EXPECT_EQ(held, std::vector<int>(held.size(), 1));
    }
  }
}

// Query i stands at place i + 2.
TEST(AttentionPlan, AWindowReachesAsFarAsItSaysAndNoNumberIsTooLarge) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const auto keys = [](Index query, Index left, Index right) {
    const Array q = zeros({5, 2}), k = zeros({7, 2});
    const AttentionPlan plan("attend", {q, k, {}}, k, {.left = left, .right = right});
    const KeyRange range = plan.keys_of(LeadingAxes(plan.lead, plan.shared), 0, 0, query);
    return std::pair<Index, Index>{range.begin, range.end};
  };
  using Range = std::pair<Index, Index>;
  EXPECT_EQ(keys(0, -1, -1), (Range{0, 7}));
  EXPECT_EQ(keys(1, 0, 0), (Range{3, 4}));
  EXPECT_EQ(keys(1, 2, 1), (Range{1, 5}));
  for (const Index far : {Index{6}, Index{7}, Index{11}, Index{12}, Index{13}, kMost}) {
    EXPECT_EQ(keys(4, far, 0), (Range{0, 7})) << far;
    EXPECT_EQ(keys(3, far, 0), (Range{0, 6})) << far;
    EXPECT_EQ(keys(0, 0, far), (Range{2, 7})) << far;
    EXPECT_EQ(keys(4, 0, far), (Range{6, 7})) << far;
  }
}

TEST(AttentionPlan, IsInBf16FromThirtyTwoQueriesKeysAndNumbersOn) {
  const auto in_bf16 = [](Index queries, Index keys, Index numbers, DType dtype = DType::f32) {
    const Array q = zeros({queries, numbers}, dtype), k = zeros({keys, numbers}, dtype);
    return AttentionPlan("attend", {q, k, {}}, k, {}).in_bf16;
  };
  EXPECT_FALSE(in_bf16(32, 32, 32));
  const PrecisionScope scope(Precision::bf16);
  EXPECT_EQ(in_bf16(32, 32, 32), has_bf16_dot());
  EXPECT_FALSE(in_bf16(31, 32, 32));
  EXPECT_FALSE(in_bf16(32, 31, 32));
  EXPECT_FALSE(in_bf16(32, 32, 31));
  EXPECT_FALSE(in_bf16(32, 32, 32, DType::f64));
}

TEST(AttentionOrder, OfAResultIsThatOfItsOperand) {
  const Array heads = zeros({2, 5, 3, 4}).transpose(1, 2);  // [2, 3, 5, 4], heads behind queries
  const Array out = empty_in_order_of(heads, 7);
  EXPECT_EQ(out.shape(), (Shape{2, 3, 5, 7}));
  EXPECT_EQ(out.strides(), (Strides{105, 7, 21, 1}));
  const Array spread = zeros({2, 1, 5, 4}).expand({2, 3, 5, 4});
  EXPECT_EQ(empty_in_order_of(spread, 7).strides(), (Strides{105, 35, 7, 1}));
  const Array turned = zeros({4, 5}).transpose(0, 1);  // the last axis stays the last
  EXPECT_EQ(empty_in_order_of(turned, 3).strides(), (Strides{3, 1}));
}

}  // namespace
}  // namespace heed::kernels
