#include "../../core/pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace heed {
namespace {

// The address space that this process has, in bytes, of mapping after mapping: what the system
// counts by itself (statm) has an emulator's own in it.
std::int64_t address_space() {
  std::uint64_t sum = 0, begin = 0, end = 0;
  std::ifstream maps("/proc/self/maps");
  char dash = 0;
  for (std::string rest; maps >> std::hex >> begin >> dash >> end && std::getline(maps, rest);) {
    sum += end - begin;
  }
  return static_cast<std::int64_t>(sum);
}

constexpr std::size_t kHuge = std::size_t{2} << 20;
constexpr double kOthers = 16 * 4096;  // less than a page of each of 17 blocks

TEST(Pages, AreMappedAndGivenBackToTheLastOne) {
  if (address_space() == 0) GTEST_SKIP() << "no /proc here";
  for (const std::size_t bytes : {std::size_t{12288}, kHuge - 4096, kHuge, 3 * kHuge + 4096}) {
    std::vector<void*> blocks(17);
    const std::int64_t before = address_space();
    for (void*& block : blocks) {
      block = map_pages(bytes);
      ASSERT_NE(block, nullptr);
      static_cast<char*>(block)[0] = 3;
      EXPECT_EQ(static_cast<char*>(block)[bytes - 1], 0);
      static_cast<char*>(block)[bytes - 1] = 5;
    }
    const auto more = static_cast<double>(address_space() - before);
    EXPECT_NEAR(more, static_cast<double>(blocks.size() * bytes), kOthers) << bytes;
    for (void* block : blocks) unmap_pages(block, bytes);
    EXPECT_NEAR(static_cast<double>(address_space()), static_cast<double>(before), kOthers);
  }
}

TEST(Pages, OfLargeBlocksAreAlignedForHugeOnes) {
  for (const std::size_t bytes : {kHuge, kHuge + 4096, 5 * kHuge}) {
    void* block = map_pages(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kHuge, 0U) << bytes;
    unmap_pages(block, bytes);
  }
}

TEST(Pages, AreNullWhereThereAreNotSoMany) {
  EXPECT_EQ(map_pages(SIZE_MAX), nullptr);
  EXPECT_EQ(map_pages(SIZE_MAX - kHuge + 2), nullptr) << "the sum with an alignment wraps";
  EXPECT_EQ(map_pages(SIZE_MAX / 2), nullptr);
}

}  // namespace
}  // namespace heed
