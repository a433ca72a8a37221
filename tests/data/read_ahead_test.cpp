#include "../../data/read_ahead.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "../../data/prefetch.h"

namespace heed::data {
namespace {

TEST(ReadAhead, GivesEachLaneInOrder) {
  for (const Index threads : {0, 1, 2, 7}) {
    std::array<Index, 3> made{};
    ReadAhead<Index> ahead(
        3, threads, 2,
        [&](Index lane) { return 100 * lane + made.at(static_cast<std::size_t>(lane))++; },
        [](const Index& number) { return number % 100 == 30; });
    for (const Index lane : {2, 0, 1}) {
      for (Index i = 0; i <= 30; ++i) ASSERT_EQ(ahead.take(lane), 100 * lane + i) << threads;
    }
  }
}

TEST(ReadAhead, MakesNoMoreThanItMay) {
  std::atomic<Index> made = 0;
  {
    ReadAhead<Index> ahead(
        2, 2, 3, [&](Index) { return made++; }, [](const Index&) { return false; });
    ahead.take(1);
  }
  EXPECT_LE(made, 2 * 3 + 1);
}

// As much as they may, and then nothing more comes.
template <class Made>
void expect_to_stay_at(const Made& made, Index count) {
  for (int i = 0; i < 20000 && made < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, count);
}

TEST(ReadAhead, FillsAllLanes) {
  std::atomic<Index> made = 0;
  ReadAhead<Index> ahead(
      3, 2, 5, [&](Index) { return made++; }, [](const Index&) { return false; });
  expect_to_stay_at(made, 3 * 5);
  ahead.take(1);
  expect_to_stay_at(made, 3 * 5 + 1);
}

TEST(Prefetch, MakesWhatItMayUpToTheLast) {
  std::atomic<Index> made = 0;
  Prefetch<Index> ahead(
      3, [&] { return made++; }, [](const Index& number) { return number == 5; });
  expect_to_stay_at(made, 3);
  EXPECT_EQ(ahead.take(), 0);
  expect_to_stay_at(made, 4);
  for (Index i = 1; i <= 5; ++i) EXPECT_EQ(ahead.take(), i);
  expect_to_stay_at(made, 6);
}

}  // namespace
}  // namespace heed::data
