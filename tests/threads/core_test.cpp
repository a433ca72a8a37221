// What lies under all models and is shared by all threads: the allocator, the default generator,
// the number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "../../autograd/tensor.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "on_threads.h"

namespace heed {
namespace {

constexpr int kThreads = 8;

TEST(SharedAllocator, TakesBackBlocksOfOtherThreads) {
  const MemoryStats before = memory_stats();
  {
    std::vector<std::vector<Array>> shelves(kThreads);
    std::vector<std::mutex> locks(kThreads);
    on_threads(kThreads, [&](int t) {
      for (int i = 0; i < 300; ++i) {
        const auto to = static_cast<std::size_t>((t * 31 + i * 7) % kThreads);
        const Index bytes = Index{1} << (i * 5 % 19);  // small blocks and large ones
        Array made = Array::full({bytes}, t, DType::boolean);
        std::vector<Array> taken;
        const std::lock_guard lock(locks[to]);
        shelves[to].push_back(std::move(made));
        if (shelves[to].size() > 20) taken.swap(shelves[to]);
      }
    });
    on_threads(kThreads, [&](int t) { shelves[static_cast<std::size_t>((t + 5) % 8)].clear(); });
  }
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
}

TEST(SharedAllocator, IsWatchedAndEmptiedMeanwhile) {
  const Array held = Array::zeros({7}, DType::f32);  // something is live however the threads are timed
  on_threads(kThreads, [&](int t) {
    for (int i = 0; i < 50; ++i) {
      if (t == 0) {
        release_cached_memory();
      } else if (t == 1) {
        EXPECT_GT(memory_stats().reserved_bytes + memory_stats().live_bytes, 0);
      } else if (t == 2) {
        set_memory_limit(i % 2 == 0 ? 0 : std::int64_t{1} << 40);
      } else {
        const Array block = Array::full({100003}, i, DType::f32);
        EXPECT_EQ(block.select(0, 100002).item(), i);
      }
    }
  });
  set_memory_limit(0);
}

TEST(SharedGenerator, GivesEachNumberOnce) {
  Generator alone(23), shared(23);
  constexpr int kEach = 500;
  std::multiset<std::uint64_t> expected, found;
  for (int i = 0; i < kThreads * kEach; ++i) expected.insert(alone.next());
  std::mutex mutex;
  on_threads(kThreads, [&](int) {
    std::vector<std::uint64_t> mine;
    for (int i = 0; i < kEach; ++i) mine.push_back(shared.next());
    const std::lock_guard lock(mutex);
    found.insert(mine.begin(), mine.end());
  });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(shared.state(), alone.state());
}

TEST(SharedGenerator, FillsArraysOnEveryThread) {
  const Generator::State before = default_generator().state();
  on_threads(kThreads, [&](int) {
    for (int i = 0; i < 20; ++i) {
      const std::vector<float> x = rand({101}).array().to_vector<float>();
      EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](float a) { return a >= 0 && a < 1; }));
    }
  });
  const std::uint64_t drawn = default_generator().state().offset - before.offset;
  EXPECT_EQ(drawn, std::uint64_t{kThreads} * 20 * 26);  // four numbers a block
}

// Regions opened by several threads, exceptions among them.
TEST(ParallelRegions, AreOpenedByEveryThread) {
  on_threads(kThreads, [&](int t) {
    for (int i = 0; i < 20; ++i) {
      std::vector<Index> out(1009);
      parallel_for(1009, 10, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) out[static_cast<std::size_t>(k)] = k * t;
      });
      for (Index k = 0; k < 1009; ++k) ASSERT_EQ(out[static_cast<std::size_t>(k)], k * t);
      EXPECT_THROW(parallel_for(1009, 10,
                                [&](Index begin, Index) {
                                  if (begin == 500) throw ValueError("here");
                                }),
                   ValueError);
    }
  });
}

}  // namespace
}  // namespace heed
