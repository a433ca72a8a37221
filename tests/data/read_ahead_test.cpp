#include "../../data/read_ahead.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

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

}  // namespace
}  // namespace heed::data
