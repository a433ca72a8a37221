#include "../../core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../../core/error.h"
#include "message.h"

namespace heed {
namespace {

class Parallel : public testing::Test {
 protected:
  ~Parallel() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

std::vector<std::pair<Index, Index>> chunks(Index count, Index grain) {
  std::mutex mutex;
  std::vector<std::pair<Index, Index>> out;
  parallel_for(count, grain, [&](Index begin, Index end) {
    const std::lock_guard lock(mutex);
    out.emplace_back(begin, end);
  });
  std::sort(out.begin(), out.end());
  return out;
}

TEST_F(Parallel, ChunksFollowFromTheCountsAlone) {
  const std::vector<std::pair<Index, Index>> expected = {{0, 5}, {5, 10}, {10, 13}};
  for (int threads = 1; threads <= 4; ++threads) {
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    EXPECT_EQ(chunks(13, 5), expected);
  }
  EXPECT_TRUE(chunks(0, 5).empty());
  EXPECT_TRUE(chunks(-3, 5).empty());
  EXPECT_EQ(chunks(5, 5).size(), 1U);
  EXPECT_EQ(chunks(7, INT64_MAX).size(), 1U);
}

TEST_F(Parallel, VisitsEverythingOnce) {
  set_num_threads(3);
  std::vector<std::atomic<int>> visits(10007);
  parallel_for(10007, 11, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
}

TEST_F(Parallel, TheFirstChunksExceptionComesOutAfterAllHaveEnded) {
  for (int threads = 2; threads <= 4; ++threads) {
    set_num_threads(threads);
    std::atomic<int> ended = 0;
    const std::string message = message_of<ValueError>([&] {
      parallel_for(100, 1, [&](Index begin, Index) {
        ++ended;
        if (begin == 17 || begin == 71) throw ValueError("chunk " + std::to_string(begin));
      });
    });
    EXPECT_EQ(message, "chunk 17");
    EXPECT_EQ(ended, 100);
  }
}

TEST_F(Parallel, NestedRunsOnTheCallingThread) {
  set_num_threads(4);
  std::atomic<Index> total = 0;
  parallel_for(8, 1, [&](Index, Index) {
    parallel_for(100, 3, [&](Index begin, Index end) { total += end - begin; });
  });
  EXPECT_EQ(total, 800);
}

TEST_F(Parallel, RefusesNonsense) {
  EXPECT_EQ(message_of<ValueError>([] { set_num_threads(0); }),
            "set_num_threads: 0 is not in [1, 1024]");
  EXPECT_THROW(set_num_threads(1025), ValueError);
  EXPECT_EQ(message_of<ValueError>([] { parallel_for(3, 0, [](Index, Index) {}); }),
            "parallel_for: grain 0 must be positive");
}

}  // namespace
}  // namespace heed
