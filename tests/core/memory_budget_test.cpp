#include "../../core/memory_budget.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "../../core/allocator.h"
#include "../../core/array.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

Array of_bytes(std::size_t bytes) {
  return Array::empty({static_cast<Index>(bytes)}, DType::boolean);
}

TEST(MemoryBudget, EndsWhatWouldPassIt) {
  const MemoryStats before = memory_stats();
  {
    const MemoryBudget budget(1000003);
    const Array first = of_bytes(500009);
    EXPECT_FALSE(budget.refused());
    EXPECT_ERROR_WITH(OutOfMemory,
                      "bytes more would pass the budget of 1000003: ", of_bytes(500009));
    EXPECT_TRUE(budget.refused());
    EXPECT_NO_THROW(of_bytes(100003));
    EXPECT_THROW(of_bytes(std::size_t{1} << 62), OutOfMemory);
  }
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  EXPECT_NO_THROW(of_bytes(1500007));
}

TEST(MemoryBudget, CountsWhatIsHeldAndNotWhatIsGivenBack) {
  const Array earlier = of_bytes(3000017);
  const MemoryBudget budget(1000003);
  for (int i = 0; i < 7; ++i) EXPECT_NO_THROW(of_bytes(700001));
  EXPECT_FALSE(budget.refused());
}

// These come by the list, and so late; they do come to an end.
TEST(MemoryBudget, CountsSmallBlocks) {
  const MemoryStats before = memory_stats();
  {
    const MemoryBudget budget(1 << 20);
    std::vector<Array> all;
    const auto fill = [&] {
      while (all.size() < 30000) all.push_back(of_bytes(1009));
    };
    EXPECT_THROW(fill(), OutOfMemory);
    EXPECT_GT(all.size(), 700U);
    EXPECT_TRUE(budget.refused());
  }
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

TEST(MemoryBudget, EachOfSeveralCounts) {
  const MemoryBudget outer(1000003);
  const Array held = of_bytes(500009);
  {
    const MemoryBudget inner(3000017);
    EXPECT_THROW(of_bytes(700001), OutOfMemory);
    EXPECT_TRUE(outer.refused());
    EXPECT_FALSE(inner.refused());
  }
  {
    const MemoryBudget inner(100003);
    EXPECT_THROW(of_bytes(200003), OutOfMemory);
    EXPECT_TRUE(inner.refused());
  }
  EXPECT_NO_THROW(of_bytes(200003));
}

TEST(MemoryBudget, IsOfItsThreadAlone) {
  const MemoryBudget budget(100003);
  std::string other = "nothing";
  std::thread([&] {
    try {
      of_bytes(1000003);
      other = "had";
    } catch (const OutOfMemory& error) {
      other = error.what();
    }
  }).join();
  EXPECT_EQ(other, "had");
  EXPECT_FALSE(budget.refused());
}

}  // namespace
}  // namespace heed
