#include "../../core/process_lock.h"

#include <gtest/gtest.h>

#include <mutex>

#include "../../core/loan.h"
#include "../../core/observer.h"
#include "../support/fork_beside.h"

namespace heed {
namespace {

TEST(ProcessLock, AChildOfForkIsNotLockedOut) {
  const Array x = Array::full({3001}, 0.5, DType::f32);
  const auto work = [&x] {
    const Loan loan(x);
    detail::tell_wrapped();
    return true;
  };
  fork_beside(work, work);
}

TEST(ProcessLock, IsOneForEach) {
  std::mutex& loans = process_lock(ProcessLock::loans);
  EXPECT_EQ(&loans, &process_lock(ProcessLock::loans));
  for (const ProcessLock other : {ProcessLock::observer, ProcessLock::parents, ProcessLock::unowned,
                                  ProcessLock::signals, ProcessLock::pool, ProcessLock::memory}) {
    EXPECT_NE(&loans, &process_lock(other));
  }
}

}  // namespace
}  // namespace heed
