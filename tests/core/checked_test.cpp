#include "../../core/checked.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

TEST(Checked, CountsAsNumbersDo) {
  const Checked a("multi_head", 7), b("multi_head", 3);
  EXPECT_EQ(a * 5, 35);
  EXPECT_EQ(5 * a, 35);
  EXPECT_EQ(a * b, 21);
  EXPECT_EQ(a + 5, 12);
  EXPECT_EQ(5 + a, 12);
  EXPECT_EQ(a + b, 10);
  EXPECT_EQ(a + 2 * b * 5, 37);
  EXPECT_EQ(Checked("linear", kMost - 1) + 1, kMost);
}

TEST(Checked, RefusesInItsOwnersName) {
  EXPECT_ERROR(ShapeError, "linear: size 9223372036854775807 + 1 overflows 64 bits",
               Checked("linear", kMost) + 1);
  EXPECT_ERROR(ShapeError, "linear: size 3 x -2 is negative or overflows 64 bits",
               Checked("linear", 3) * -2);
  EXPECT_ERROR_WITH(ShapeError, "linear: size ", 2 * (Checked("linear", kMost / 2) + 1));
}

}  // namespace
}  // namespace heed
