// A piece of work in which the first allocation fails, then the second, and so on until all of it
// is done: each failure is a typed error, leaves nothing behind and leaves all as it was.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <string>

#include "../../core/allocator.h"
#include "../../core/error.h"
#include "failing_allocation.h"

namespace heed {

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    if (!counts_allocations()) GTEST_SKIP() << "operator new is not this program's";
  }
};

struct Work {
  /// What is done. It must not keep anything that it makes before it has succeeded.
  std::function<void()> run;
  /// Puts back what a failed run may change, such as gradients.
  std::function<void()> reset = [] {};
  /// Undoes a whole run, for those that can do without an allocation that failed (a buffer that
  /// only saves time).
  std::function<void()> undo = nullptr;
  /// What a failed run must leave as it was, as bytes.
  std::function<std::string()> state = [] { return std::string(); };
};

/// Fails the test where an allocation that fails ends in another error, a leak or another state();
/// gives back how many failed. Afterwards the work has been done once.
inline std::int64_t fail_every_allocation(const Work& work, FailingAllocation::Then then) {
  const std::string state = work.state();
  const MemoryStats before = memory_stats();
  for (std::int64_t n = 1;; ++n) {
    bool reached = false, threw = false;
    std::string wrong;
    wrong.reserve(200);
    {
      const FailingAllocation failing(n, then);
      try {
        work.run();
      } catch (const OutOfMemory&) {
        threw = true;
      } catch (const std::bad_alloc&) {
        threw = true;
      } catch (const std::exception& error) {
        threw = true;
        wrong = error.what();
      }
      reached = failing.reached();
    }
    if (!wrong.empty()) {
      ADD_FAILURE() << "allocation " << n << " ended in another error: " << wrong;
      return n;
    }
    if (!threw && !reached) return n - 1;
    if (!threw) {
      if (!work.undo) {
        ADD_FAILURE() << "allocation " << n << " failed and nobody said so";
        return n;
      }
      work.undo();
    }
    work.reset();
    const MemoryStats now = memory_stats();
    EXPECT_EQ(now.live_storages, before.live_storages) << "allocation " << n;
    EXPECT_EQ(now.live_tensors, before.live_tensors) << "allocation " << n;
    EXPECT_EQ(now.live_nodes, before.live_nodes) << "allocation " << n;
    EXPECT_EQ(now.live_bytes, before.live_bytes) << "allocation " << n;
    if (work.state() != state || testing::Test::HasFailure()) {
      ADD_FAILURE() << "allocation " << n << " left another state";
      return n;
    }
  }
}

}  // namespace heed
