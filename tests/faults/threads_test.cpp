// Memory runs out where threads make things ahead: those that cannot begin leave the work to the
// others, and what fails inside of one reaches who takes what it made.
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../data/prefetch.h"
#include "../../data/read_ahead.h"
#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../io/temporary_folder.h"
#include "every_allocation.h"

namespace heed {
namespace {

class Threads : public Faults, public testing::WithParamInterface<FailingAllocation::Then> {
 protected:
  // What does not begin is no failure: nothing is to be undone.
  void fail_every(const std::function<void()>& run) {
    EXPECT_GT(fail_every_allocation({.run = run, .undo = [] {}}, GetParam()), 1);
  }
};

TEST_P(Threads, ThatReadAheadMayNotBegin) {
  fail_every([] {
    Index made[3] = {};
    data::ReadAhead<Index> ahead(
        3, 5, 2, [&](Index lane) { return made[lane]++; },
        [](const Index& number) { return number == 100; });
    for (Index i = 0; i <= 100; ++i) {
      for (Index lane = 0; lane < 3; ++lane) ASSERT_EQ(ahead.take(lane), i);
    }
  });
}

TEST_P(Threads, ThatPrefetchMayNotBegin) {
  fail_every([] {
    Index made = 0;
    data::Prefetch<Index> ahead(
        7, [&] { return made++; }, [](const Index& number) { return number == 1000; });
    for (Index i = 0; i <= 1000; ++i) ASSERT_EQ(ahead.take(), i);
  });
}

// Its batches say where they stand, which takes memory of its own.
TEST_P(Threads, OfALoaderThatStreamsSayWhatFailed) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (const char* name : {"a", "b", "c"}) {
    files.push_back(folder.write(name, "one\ntwo\nthree\nfour\nfive\n"));
  }
  fail_every([&] {
    const auto lines = data::text_shards(files, {.open = 2, .threads = 2});
    auto batches = data::streamed(
        lines, [](const std::vector<std::string>& batch) { return std::ssize(batch); },
        {.size = 2, .buffer = 5, .prefetch = 3});
    Index count = 0;
    while (const auto batch = batches.next()) count += *batch;
    ASSERT_EQ(count, 15);
  });
}

INSTANTIATE_TEST_SUITE_P(Memory, Threads,
                         testing::Values(FailingAllocation::Then::recover,
                                         FailingAllocation::Then::stay_out));

}  // namespace
}  // namespace heed
