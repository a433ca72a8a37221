// Differences without bound.
#include "../../../../autograd/ops/losses/regression_losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../support/numbers.h"
#include "../../kinks.h"

namespace heed {
namespace {

TEST(RegressionLosses, OfAnInfiniteDifferenceAreAsSteepAsOfALargeOne) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = leaf({inf, -inf, 1e200, -1e200, 0.5, std::nan("")});
  const Tensor zero = leaf({0, 0, 0, 0, 0, 0});
  const auto expect = [&](const Tensor& out, const Numbers& expected) {
    const Tensor g = full({6}, 1, DType::f64);
    for (const bool again : {true, false}) {
      const Numbers found = numbers(grad({out}, {x}, {g}, {.create_graph = again})[0]);
      EXPECT_EQ(Numbers(found.begin(), found.begin() + 5), expected) << again;
      EXPECT_TRUE(std::isnan(found[5])) << again;
    }
    EXPECT_EQ(numbers(out)[0], inf);
  };
  expect(huber_loss(x, zero, 3, Reduction::none), {3, -3, 3, -3, 0.5});
  expect(smooth_l1_loss(x, zero, 2, Reduction::none), {1, -1, 1, -1, 0.25});
}

}  // namespace
}  // namespace heed
