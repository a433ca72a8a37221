// Children of fork() beside a thread that is at work: where it is inside of a lock at that moment,
// nobody would open it in the child.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace heed {

/// So many children, one after the other, each of which does `childs()`, while a thread does
/// `threads()` over and over. Both say whether what they did is right. A child has five minutes.
template <class Threads, class Childs>
void fork_beside(const Threads& threads, const Childs& childs, int children = 50) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own allocator is locked in such a child";
#endif
  std::atomic<bool> enough = false;
  std::thread other([&] {
    while (!enough) EXPECT_TRUE(threads());
  });
  for (int child = 0; child < children && !testing::Test::HasFailure(); ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(300);  // instead of for ever
      _exit(childs() ? 7 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  enough = true;
  other.join();
}

}  // namespace heed
