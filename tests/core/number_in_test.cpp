#include "../../core/number_in.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heed {
namespace {

TEST(NumberIn, IsAllOfTheText) {
  EXPECT_EQ(number_in<int>("17"), 17);
  EXPECT_EQ(number_in<std::int64_t>("-3"), -3);
  EXPECT_EQ(number_in<double>("2.5e3"), 2500.0);
  for (const char* text : {"", " 17", "17 ", "+17", "17x", "1.5", "0x11"}) {
    EXPECT_EQ(number_in<int>(text), std::nullopt) << text;
  }
}

TEST(NumberIn, IsOneThatTheTypeHolds) {
  EXPECT_EQ(number_in<std::uint8_t>("255"), 255);
  EXPECT_EQ(number_in<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(number_in<std::size_t>("-1"), std::nullopt);
  EXPECT_EQ(number_in<double>("1e999"), std::nullopt);
}

}  // namespace
}  // namespace heed
