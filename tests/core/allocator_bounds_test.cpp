// The allocator's counters to the byte, its limit, and what it keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../../core/allocator.h"
#include "../../core/array.h"
#include "../../core/block_sizes.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "../support/without_cache.h"

namespace heed {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

struct Block {
  explicit Block(std::size_t bytes_in, BlockKind kind_in = BlockKind::storage)
      : bytes(bytes_in), kind(kind_in), block(allocate_block(bytes_in, kind_in)) {}
  ~Block() { free_block(block, bytes, kind); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  std::size_t bytes;
  BlockKind kind;
  void* block;
};

std::int64_t more(std::int64_t MemoryStats::*counter, const MemoryStats& before) {
  return memory_stats().*counter - before.*counter;
}

TEST(AllocatorBounds, CountsEachKindOfBlockOnItsOwn) {
  const MemoryStats before = memory_stats();
  const Block node(1, BlockKind::node), tensor(100, BlockKind::tensor);
  const Block another(3000, BlockKind::tensor);
  EXPECT_EQ(more(&MemoryStats::live_nodes, before), 1);
  EXPECT_EQ(more(&MemoryStats::live_tensors, before), 2);
  EXPECT_EQ(more(&MemoryStats::live_storages, before), 0);
  EXPECT_EQ(MemoryStats().live_bytes + MemoryStats().live_nodes + MemoryStats().reserved_bytes, 0);
}

TEST(AllocatorBounds, CountsBytesInTheSizesOfItsClasses) {
  SKIP_WITHOUT_CACHE();
  for (const auto& [bytes, counted] : {std::pair{1, 64},
                                       {64, 64},
                                       {65, 128},
                                       {1024, 1024},
                                       {1025, 1280},
                                       {32768, 32768},
                                       {32769, 36864},
                                       {65537, 73728}}) {
    const MemoryStats before = memory_stats();
    {
      const Block block(static_cast<std::size_t>(bytes));
      EXPECT_EQ(more(&MemoryStats::live_bytes, before), counted) << bytes;
    }
    EXPECT_EQ(more(&MemoryStats::live_bytes, before), 0) << bytes;
  }
}

TEST(AllocatorBounds, AsksTheSystemOnceForALargeBlock) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  const MemoryStats before = memory_stats();
  const Block block(9 * kMega);
  EXPECT_EQ(more(&MemoryStats::system_allocations, before), 1);
  EXPECT_EQ(more(&MemoryStats::reserved_bytes, before), static_cast<std::int64_t>(9 * kMega));
  EXPECT_GE(memory_stats().peak_reserved_bytes, memory_stats().reserved_bytes);
}

// An idle block serves for what is at most an eighth smaller.
TEST(AllocatorBounds, GivesOutIdleBlocksOfTheNextSize) {
  SKIP_WITHOUT_CACHE();
  const auto asked_again = [](std::size_t idle, std::size_t bytes) {
    release_cached_memory();
    { const Block block(idle); }
    const MemoryStats before = memory_stats();
    const Block block(bytes);
    return more(&MemoryStats::system_allocations, before) == 1;
  };
  EXPECT_FALSE(asked_again(9 * kMega, 9 * kMega));
  EXPECT_FALSE(asked_again(9 * kMega, 8 * kMega + 1));
  EXPECT_FALSE(asked_again(9 * kMega, 8 * kMega));
  EXPECT_TRUE(asked_again(9 * kMega, 7 * kMega));
  EXPECT_TRUE(asked_again(16 * kMega, 14 * kMega));
  EXPECT_TRUE(asked_again(9 * kMega, 9 * kMega + 1));
}

TEST(AllocatorBounds, GivesTheSmallestIdleBlockThatServes) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  { const Block a(9 * kMega), b(8 * kMega), c(10 * kMega); }
  const MemoryStats before = memory_stats();
  const Block a(8 * kMega), b(9 * kMega), c(10 * kMega);
  EXPECT_EQ(more(&MemoryStats::system_allocations, before), 0);
}

TEST(AllocatorBounds, TheLimitIsReachedButNotPassed) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  const auto held = memory_stats().reserved_bytes;
  const auto room = static_cast<std::int64_t>(9 * kMega);
  set_memory_limit(held + room);
  EXPECT_NO_THROW(Block(9 * kMega));
  release_cached_memory();
  set_memory_limit(held + room - 1);
  EXPECT_ERROR(OutOfMemory,
               "allocate: 9437184 bytes more would pass the limit of " +
                   std::to_string(held + room - 1) + ": " + std::to_string(held) + " held",
               Block(9 * kMega));
  set_memory_limit(0);
  EXPECT_NO_THROW(Block(9 * kMega));
  EXPECT_THROW(set_memory_limit(-1), ValueError);
}

// Of what is idle only as much goes as must.
TEST(AllocatorBounds, TheLimitDropsAsFewAsItCan) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  const auto held = memory_stats().reserved_bytes;
  { const Block a(4 * kMega), b(16 * kMega); }
  set_memory_limit(held + static_cast<std::int64_t>(20 * kMega));
  { const Block c(9 * kMega); }
  set_memory_limit(0);
  EXPECT_EQ(memory_stats().reserved_bytes, held + static_cast<std::int64_t>(13 * kMega));
  const MemoryStats before = memory_stats();
  const Block a(4 * kMega);
  EXPECT_EQ(more(&MemoryStats::system_allocations, before), 0) << "this one could stay";
}

// Batches of ever new sizes do not pile up.
TEST(AllocatorBounds, KeepsNoMoreIdleThanWasEverInUse) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  const MemoryStats before = memory_stats();
  const auto most = std::max<std::int64_t>(before.peak_reserved_bytes, 256 << 20);
  auto bytes = static_cast<std::size_t>(most / 5);
  for (int i = 0; i < 9; ++i, bytes += bytes / 5) {
    { const Block block(bytes); }
    const auto largest = std::max(most, static_cast<std::int64_t>(large_bytes(bytes)));
    EXPECT_LE(more(&MemoryStats::reserved_bytes, before), largest) << bytes;
  }
  EXPECT_GT(more(&MemoryStats::reserved_bytes, before), 0) << "but some";
  release_cached_memory();
  EXPECT_EQ(more(&MemoryStats::reserved_bytes, before), 0);
}

// Where less than a quarter of a gigabyte was ever in use, so much may lie idle all the same: in a
// process of its own, which has used nothing before.
TEST(AllocatorBounds, KeepsAQuarterOfAGigabyteIdle) {
  SKIP_WITHOUT_CACHE();
  const auto kept = [] {
    const MemoryStats before = memory_stats();
    { const Block block(160 * kMega); }
    { const Block block(96 * kMega); }
    const auto most = more(&MemoryStats::reserved_bytes, before);
    if (most != static_cast<std::int64_t>(256 * kMega)) return 1;
    { const Block block(kLargestSmall + 1); }  // one page too many: the first goes
    const auto left = static_cast<std::int64_t>(96 * kMega + large_bytes(kLargestSmall + 1));
    return more(&MemoryStats::reserved_bytes, before) == left ? 0 : 2;
  };
  const std::string style = GTEST_FLAG_GET(death_test_style);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(kept()), testing::ExitedWithCode(0), "");
  GTEST_FLAG_SET(death_test_style, style);
}

// What a thread kept of each size serves others when it has ended.
TEST(AllocatorBounds, TakesBackWhatAThreadKept) {
  SKIP_WITHOUT_CACHE();
  const auto round = [] {
    std::thread([] {
      std::vector<std::unique_ptr<Block>> held;
      for (std::size_t bytes = 1; bytes <= kLargestSmall; bytes += 61 + bytes / 5) {
        held.push_back(std::make_unique<Block>(bytes));
      }
      held.push_back(std::make_unique<Block>(kLargestSmall));
    }).join();
  };
  round();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 40; ++i) round();
  EXPECT_EQ(more(&MemoryStats::system_allocations, before), 0);
  EXPECT_EQ(more(&MemoryStats::live_storages, before), 0);
  EXPECT_EQ(more(&MemoryStats::live_bytes, before), 0);
}

// One thread makes, another frees: what the second has too many of comes back to the first.
TEST(AllocatorBounds, BlocksWanderBackToWhoMakesThem) {
  SKIP_WITHOUT_CACHE();
  std::vector<std::unique_ptr<Block>> held;
  const auto round = [&] {
    for (int i = 0; i < 1009; ++i) held.push_back(std::make_unique<Block>(1000));
    std::thread([&] { held.clear(); }).join();
  };
  round();
  round();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_LE(more(&MemoryStats::system_allocations, before), 1);
  EXPECT_EQ(more(&MemoryStats::live_bytes, before), 0);
}

// Also while that thread goes on.
TEST(AllocatorBounds, NobodyKeepsMoreThanItNeeds) {
  SKIP_WITHOUT_CACHE();
  constexpr int kRounds = 30;
  std::vector<std::unique_ptr<Block>> held;
  std::barrier<> turn(2);
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      turn.arrive_and_wait();
      held.clear();
      turn.arrive_and_wait();
    }
  });
  MemoryStats before;
  for (int i = 0; i < kRounds; ++i) {
    if (i == 3) before = memory_stats();
    for (int j = 0; j < 1009; ++j) held.push_back(std::make_unique<Block>(1000));
    turn.arrive_and_wait();
    turn.arrive_and_wait();
  }
  EXPECT_LE(more(&MemoryStats::system_allocations, before), 2);
  other.join();
}

// A thread's own objects may go after its cache: what they free and allocate still counts.
struct Late {
  Array held;
  ~Late() {
    held = Array::full({1009}, 3, DType::f64);
    const Array other = Array::full({1009}, 7, DType::f64);
    const Array large = Array::full({100003}, 5, DType::f64);
    const auto last = [](const Array& x) { return x.select(0, x.numel() - 1).item(); };
    if (last(held) + last(other) + last(large) != 15) std::abort();
    held = Array();
  }
};

TEST(AllocatorBounds, ServesAThreadThatIsAboutToEnd) {
  SKIP_WITHOUT_CACHE();
  const auto round = [] {
    std::thread([] {
      thread_local Late late;
      late.held = Array();  // made before the cache, and gone after it
      late.held = Array::zeros({1013}, DType::f32);
    }).join();
  };
  for (int i = 0; i < 3; ++i) round();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(more(&MemoryStats::live_storages, before), 0);
  EXPECT_EQ(more(&MemoryStats::live_bytes, before), 0);
  EXPECT_EQ(more(&MemoryStats::live_tensors, before), 0);
  EXPECT_EQ(more(&MemoryStats::system_allocations, before), 0) << "and all of it comes back";
}

TEST(AllocatorBounds, RefusesWhatNoMachineHas) {
  SKIP_WITHOUT_CACHE();
  const MemoryStats before = memory_stats();
  EXPECT_ERROR_WITH(OutOfMemory,
                    "allocate: the system has no " + std::to_string(SIZE_MAX) +
                        " bytes more: " + std::to_string(before.reserved_bytes) + " held",
                    Block(SIZE_MAX));
  EXPECT_EQ(more(&MemoryStats::live_storages, before), 0);
}

}  // namespace
}  // namespace heed
