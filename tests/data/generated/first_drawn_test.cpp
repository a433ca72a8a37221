#include "../../../data/generated/first_drawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace heed::data {
namespace {

using testing::ElementsAre;

// Counts on.
struct Stream {
  Index at = 0;
  std::vector<Index> operator()(Index count) {
    std::vector<Index> out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), at);
    at += count;
    return out;
  }
};

TEST(FirstDrawn, WhatFollowsBeginsAtTheSamePlace) {
  for (const Index count : {0, 3, 5, 7}) {
    Stream stream;
    const auto draw = [&](Index some) { return stream(some); };
    const auto first = first_drawn(count, 5, draw);
    EXPECT_EQ(first, Stream()(std::min<Index>(count, 5)));
    EXPECT_THAT(first_drawn(2, 3, draw), ElementsAre(5, 6));
    EXPECT_THAT(draw(2), ElementsAre(8, 9));
  }
}

}  // namespace
}  // namespace heed::data
