#include "../../../attention/positions/learned.h"

#include <gtest/gtest.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../nn/gradcheck.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

TEST(LearnedPositions, AddTheRowsOfTheirPlaces) {
  manual_seed(3);
  LearnedPositions positions(7, 3, DType::f64);
  const Tensor x = randn({2, 5, 3}, DType::f64);
  const auto table = numbers(positions.weight), in = numbers(x), out = numbers(positions(x, 2));
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], in[i] + table[2 * 3 + i % 15]);
  }
  const auto report = nn::gradcheck(positions, x);
  EXPECT_TRUE(report) << report.text();
}

TEST(LearnedPositions, RefuseWhatDoesNotFit) {
  const LearnedPositions positions(7, 3);
  EXPECT_ERROR_WITH(ValueError, "max_steps 0 and width 3 must be positive",
                    LearnedPositions none(0, 3));
  EXPECT_ERROR_WITH(ShapeError, "x must be [.., T, 3], not f32[2, 5, 4]",
                    positions(zeros({2, 5, 4})));
  EXPECT_ERROR_WITH(DTypeError, "the weights are f32", positions(zeros({5, 3}, DType::f64)));
  EXPECT_ERROR_WITH(IndexError, "5 steps from 3 are not in [0, 7)", positions(zeros({5, 3}), 3));
  EXPECT_ERROR_WITH(IndexError, "-1", positions(zeros({5, 3}), -1));
  EXPECT_ERROR_WITH(GradError, "learned_positions: x is undefined", positions(Tensor()));
}

}  // namespace
}  // namespace heed::attention
