#include "../../data/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace heed::data {
namespace {

TEST(Parts, ATenthEachTestsAndValidates) {
  std::vector<int> items(37);
  std::iota(items.begin(), items.end(), 0);
  Generator generator(3), again(3), other(4);
  const Parts<int> parts = drawn_parts(items, generator);
  EXPECT_EQ(parts.test.size(), 3U);
  EXPECT_EQ(parts.validation.size(), 3U);
  std::vector<int> all = parts.train;
  all.insert(all.end(), parts.validation.begin(), parts.validation.end());
  all.insert(all.end(), parts.test.begin(), parts.test.end());
  EXPECT_NE(all, items);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, items);
  EXPECT_EQ(drawn_parts(items, again).train, parts.train);
  EXPECT_NE(drawn_parts(items, other).train, parts.train);
  EXPECT_EQ(drawn_parts(std::vector<int>{1, 2, 3}, other).train.size(), 3U);
  // The first drawn test, the next validate.
  Generator drawing(3);
  std::vector<int> drawn;
  for (const Index row : drawing.permutation(37)) drawn.push_back(static_cast<int>(row));
  EXPECT_EQ(parts.test, std::vector<int>(drawn.begin(), drawn.begin() + 3));
  EXPECT_EQ(parts.validation, std::vector<int>(drawn.begin() + 3, drawn.begin() + 6));
}

}  // namespace
}  // namespace heed::data
