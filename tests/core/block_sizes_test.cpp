#include "../../core/block_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

// The first size of each class follows the last one of the class below: none is left out.
TEST(BlockSizes, SmallClassesFollowEachOther) {
  EXPECT_EQ(small_class(0).bytes, 64U);
  std::size_t index = 0, least = 1;
  while (least <= kLargestSmall) {
    const SmallClass size = small_class(least);
    EXPECT_EQ(size.index, index) << least;
    EXPECT_EQ(size.bytes % 64, 0U) << least;
    ASSERT_GE(size.bytes, least);
    EXPECT_LE(size.bytes, std::max(least + 63, least + least / 4)) << "little is wasted";
    EXPECT_EQ(small_class(size.bytes).index, index) << size.bytes;
    EXPECT_EQ(small_class(size.bytes).bytes, size.bytes);
    least = size.bytes + 1;
    ++index;
  }
  EXPECT_EQ(index, kSmallClasses);
  EXPECT_EQ(small_class(kLargestSmall).bytes, kLargestSmall);
}

TEST(BlockSizes, LargeOnesAreWholePagesAndWasteLittle) {
  for (std::size_t bytes = kLargestSmall + 1; bytes < std::size_t{1} << 40; bytes += bytes / 7) {
    const std::size_t rounded = large_bytes(bytes);
    EXPECT_EQ(rounded % 4096, 0U) << bytes;
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, bytes + std::max<std::size_t>(bytes / 8, 4095)) << bytes;
    EXPECT_EQ(large_bytes(rounded), rounded);
  }
  const std::size_t mega = std::size_t{1} << 20;
  EXPECT_EQ(large_bytes(8 * mega), 8 * mega);
  EXPECT_EQ(large_bytes(8 * mega + 1), 9 * mega) << "eight to a doubling";
  EXPECT_EQ(large_bytes(16 * mega + 1), 18 * mega);
}

}  // namespace
}  // namespace heed
