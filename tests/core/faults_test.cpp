#include "../../core/faults.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Faults, ListsThreeAndCountsTheOthers) {
  Faults faults;
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(faults.text(), "");
  faults.add("a is missing");
  EXPECT_FALSE(faults.empty());
  EXPECT_EQ(faults.text(), "a is missing");
  faults.add("b is f32[3]");
  faults.add("c is missing");
  EXPECT_EQ(faults.text(), "a is missing; b is f32[3]; c is missing");
  for (int i = 0; i < 97; ++i) faults.add("another");
  EXPECT_EQ(faults.text(), "a is missing; b is f32[3]; c is missing; and 97 more");
}

}  // namespace
}  // namespace heed
