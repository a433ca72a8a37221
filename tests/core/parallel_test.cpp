#include "../../core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "../../core/error.h"
#include "../../core/patience.h"
#include "../support/throws.h"

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

// Whoever waits inside of a chunk for another chunk would wait for ever if only one thread worked.
TEST_F(Parallel, ChunksRunSideBySide) {
  set_num_threads(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun = 0;
    std::set<std::thread::id> threads;
    std::mutex mutex;
    const bool wait = !detail::crowded();  // else one may do it all
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    parallel_for(3, 1, [&](Index, Index) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      ++begun;
      while (wait && begun < 3 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
    });
    EXPECT_EQ(begun, 3);
    if (wait) {
      EXPECT_EQ(threads.size(), 3U);
    }
  }
}

// More of them than the pool keeps regions for: all get their work done, and together they keep to
// the number of threads, or to one each.
TEST_F(Parallel, ManyCallersShareOnePool) {
  set_num_threads(3);
  constexpr Index kCallers = 23, kRounds = 50;
  std::atomic<Index> total = 0;
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> callers;
  for (Index caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      for (Index round = 0; round < kRounds; ++round) {
        parallel_for(101, 7, [&](Index begin, Index end) {
          const int now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          total += end - begin;
          --inside;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, kCallers * kRounds * 101);
  EXPECT_LE(most, kCallers + 2);
}

TEST_F(Parallel, ExceptionsStayWithTheirCaller) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<int> right = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&right, caller] {
      for (int round = 0; round < 50; ++round) {
        try {
          parallel_for(11, 1, [&](Index begin, Index) {
            if (begin >= caller) throw ValueError(std::to_string(caller) + std::to_string(begin));
          });
        } catch (const ValueError& error) {
          right += error.what() == std::to_string(caller) + std::to_string(caller);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 200);
}

// After fork() a child has none of its parent's threads.
TEST_F(Parallel, AChildStartsAPoolOfItsOwn) {
  set_num_threads(3);
  const auto sum_to = [](Index count) {
    std::atomic<Index> sum = 0;
    parallel_for(count, 1, [&](Index begin, Index) { sum += begin; });
    return sum.load();
  };
  EXPECT_EQ(sum_to(101), 5050);
  for (int child = 0; child < 5; ++child) {
    const pid_t pid = fork();
    if (pid == 0) _exit(sum_to(101) == 5050 && sum_to(11) == 55 ? 7 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  EXPECT_EQ(sum_to(101), 5050);
}

TEST_F(Parallel, TakesUpTo1024Threads) {
  set_num_threads(1024);
  EXPECT_EQ(num_threads(), 1024);
  EXPECT_EQ(chunks(7, 3).size(), 3U);
  set_num_threads(1);
  EXPECT_THROW(set_num_threads(1025), ValueError);
  EXPECT_EQ(num_threads(), 1) << "what is refused changes nothing";
}

// More threads than parts that work begins in, and chunks that these do not divide.
TEST_F(Parallel, VisitsEverythingOnceWithManyThreads) {
  for (const int threads : {63, 64, 65}) {
    set_num_threads(threads);
    std::vector<std::atomic<int>> visits(997);
    parallel_for(997, 3, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
  }
}

TEST_F(Parallel, RefusesNonsense) {
  EXPECT_ERROR(ValueError, "set_num_threads: 0 is not in [1, 1024]", set_num_threads(0));
  EXPECT_THROW(set_num_threads(1025), ValueError);
  EXPECT_ERROR(ValueError, "parallel_for: grain 0 must be positive",
               parallel_for(3, 0, [](Index, Index) {}));
}

}  // namespace
}  // namespace heed
