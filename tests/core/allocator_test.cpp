#include "../../core/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "../../core/array.h"
#include "../../core/error.h"
#include "../support/fork_beside.h"
#include "../support/throws.h"
#include "../support/without_cache.h"

namespace heed {
namespace {

constexpr std::size_t kSizes[] = {1,    63,   64,    65,    1000,   1024,
                                  1025, 4097, 32768, 32769, 100003, 3000017};

TEST(Allocator, AlignsAndKeepsBlocksApart) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t bytes : kSizes) {
      auto* block = static_cast<unsigned char*>(allocate_block(bytes, BlockKind::storage));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kBlockAlignment, 0U);
      const auto mark = static_cast<unsigned char>(blocks.size() + 1);
      std::fill_n(block, bytes, mark);
      blocks.emplace_back(block, bytes);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    EXPECT_EQ(std::count(block, block + bytes, static_cast<unsigned char>(i + 1)),
              static_cast<std::ptrdiff_t>(bytes));
    free_block(block, bytes, BlockKind::storage);
  }
}

TEST(Allocator, CountsWhatIsLive) {
  const MemoryStats before = memory_stats();
  {
    const Array small = Array::empty({7}, DType::f32);
    const Array large = Array::empty({100003}, DType::f64);
    const Array view = large.slice(0, 1, 5);
    const MemoryStats now = memory_stats();
    EXPECT_EQ(now.live_storages, before.live_storages + 2);
    EXPECT_GE(now.live_bytes, before.live_bytes + 7 * 4 + 100003 * 8);
    EXPECT_LE(now.live_bytes, before.live_bytes + 100003 * 9 + 8192);
    EXPECT_EQ(now.live_tensors, before.live_tensors);
  }
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  void* node = allocate_block(100, BlockKind::node);
  EXPECT_EQ(memory_stats().live_nodes, before.live_nodes + 1);
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
  free_block(node, 100, BlockKind::node);
  EXPECT_EQ(memory_stats().live_nodes, before.live_nodes);
}

TEST(Allocator, GivesFreedBlocksOutAgain) {
  SKIP_WITHOUT_CACHE();
  const auto round = [] {
    std::vector<Array> held;
    for (const std::size_t bytes : kSizes) {
      held.push_back(Array::empty({static_cast<Index>(bytes)}, DType::boolean));
    }
  };
  round();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(memory_stats().system_allocations, before.system_allocations);
  EXPECT_EQ(memory_stats().reserved_bytes, before.reserved_bytes);
}

TEST(Allocator, KeepsToTheLimit) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  const std::int64_t limit = memory_stats().reserved_bytes + (10 << 20);
  set_memory_limit(limit);
  const Array first = Array::empty({6 << 20}, DType::boolean);
  const std::string message =
      message_of<OutOfMemory>([] { Array::empty({6 << 20}, DType::boolean); });
  EXPECT_NE(message.find("allocate: "), std::string::npos);
  EXPECT_NE(message.find("would pass the limit of " + std::to_string(limit)), std::string::npos)
      << message;
  EXPECT_LE(memory_stats().reserved_bytes, limit);
  EXPECT_NO_THROW(Array::empty({3 << 20}, DType::boolean));
  set_memory_limit(0);
  EXPECT_NO_THROW(Array::empty({6 << 20}, DType::boolean));
  EXPECT_ERROR(ValueError, "set_memory_limit: -1 is negative", set_memory_limit(-1));
}

// What is idle makes room before the limit refuses.
TEST(Allocator, DropsIdleBlocksAtTheLimit) {
  SKIP_WITHOUT_CACHE();
  release_cached_memory();
  set_memory_limit(memory_stats().reserved_bytes + (10 << 20));
  { const Array idle = Array::empty({7 << 20}, DType::boolean); }
  EXPECT_NO_THROW(Array::empty({9 << 20}, DType::boolean));
  set_memory_limit(0);
}

TEST(Allocator, GivesIdleMemoryBack) {
  SKIP_WITHOUT_CACHE();
  { const Array idle = Array::empty({5 << 20}, DType::f32); }
  const MemoryStats before = memory_stats();
  release_cached_memory();
  EXPECT_LE(memory_stats().reserved_bytes, before.reserved_bytes - (20 << 20));
  EXPECT_GE(memory_stats().peak_reserved_bytes, before.reserved_bytes);
}

// Idle blocks beyond what was ever in use go, those first that lie idle the longest.
TEST(Allocator, DropsWhatLiesIdleTheLongest) {
  SKIP_WITHOUT_CACHE();
  const Index most = std::max<Index>(memory_stats().peak_reserved_bytes, 256 << 20);
  Array::empty({most}, DType::boolean);  // the most that this process has held at once
  release_cached_memory();
  const Index sizes[] = {most / 2, most / 3, most / 4};
  for (const Index size : sizes) Array::empty({size}, DType::boolean);
  const auto made = [](Index size) {
    const auto before = memory_stats().system_allocations;
    Array::empty({size}, DType::boolean);
    return memory_stats().system_allocations - before;
  };
  EXPECT_EQ(made(sizes[1]), 0);
  EXPECT_EQ(made(sizes[2]), 0);
  EXPECT_EQ(made(sizes[0]), 1);
}

TEST(Allocator, FreesOnOtherThreads) {
  const MemoryStats before = memory_stats();
  for (int round = 0; round < 3; ++round) {
    std::vector<Array> made;
    std::thread([&] {
      for (int i = 0; i < 2000; ++i) made.push_back(Array::full({i % 97 + 1}, i, DType::f64));
      made.push_back(Array::empty({100003}, DType::f64));
    }).join();
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(made[static_cast<std::size_t>(i)].slice(0, 0, 1).item(), i);
    }
    std::thread([gone = std::move(made)]() mutable { gone.clear(); }).join();
  }
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

TEST(Allocator, ServesThreadsAtOnce) {
  const MemoryStats before = memory_stats();
  std::vector<std::thread> threads;
  std::vector<int> broken(4, 0);
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &broken] {
      std::vector<Array> held(31);
      for (std::size_t i = 0; i < 3000; ++i) {
        Array& slot = held[i * 7 % held.size()];
        if (slot.defined())
          broken[t] += slot.select(0, slot.numel() - 1).item() != static_cast<double>(t);
        slot = Array::full({static_cast<Index>(i % 700 + 1)}, static_cast<double>(t), DType::f32);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(broken, std::vector<int>(4, 0));
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
}

TEST(Allocator, RefusesAbsurdSizes) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8}) {
    EXPECT_THROW(allocate_block(bytes, BlockKind::storage), OutOfMemory);
    EXPECT_THROW(Storage::make(bytes), OutOfMemory);
  }
  EXPECT_ERROR(OutOfMemory, "allocate: the size overflows 64 bits", Storage::make(SIZE_MAX));
}

TEST(Allocator, AChildOfForkIsNotLockedOut) {
  const auto take = [](std::size_t bytes) {
    free_block(allocate_block(bytes, BlockKind::storage), bytes, BlockKind::storage);
    return true;
  };
  fork_beside([&] { return take(100003); }, [&] { return take(3000017); }, 100);
}

}  // namespace
}  // namespace heed
