// Modules that a thread makes and takes apart while another one forks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../../nn/module.h"

namespace heed::nn {
namespace {

struct Leaf : Module {};
struct Tree : Module {
  Leaf& leaf = child<Leaf>("leaf");
};

TEST(Fork, AChildMakesModules) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own allocator is locked in such a child";
#endif
  const auto work = [] { return Tree().leaf.path() == "leaf"; };
  std::atomic<bool> enough = false;
  std::thread other([&] {
    while (!enough) EXPECT_TRUE(work());
  });
  for (int child = 0; child < 50 && !testing::Test::HasFailure(); ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(60);  // instead of for ever
      _exit(work() ? 7 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  enough = true;
  other.join();
}

}  // namespace
}  // namespace heed::nn
