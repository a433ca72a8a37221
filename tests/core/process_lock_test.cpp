#include "../../core/process_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "../../core/loan.h"
#include "../../core/observer.h"

namespace heed {
namespace {

// Where another thread is inside of a lock at the moment of the fork, nobody would open it.
TEST(ProcessLock, AChildOfForkIsNotLockedOut) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own allocator is locked in such a child";
#endif
  const Array x = Array::full({3001}, 0.5, DType::f32);
  const auto work = [&x] {
    const Loan loan(x);
    detail::tell_wrapped();
  };
  std::atomic<bool> enough = false;
  std::thread other([&] {
    while (!enough) work();
  });
  for (int child = 0; child < 50 && !testing::Test::HasFailure(); ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(300);  // instead of for ever
      work();
      _exit(7);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  enough = true;
  other.join();
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
