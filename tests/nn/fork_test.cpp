// Modules and gradients that a thread makes while another one forks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../nn/module.h"

namespace heed::nn {
namespace {

struct Leaf : Module {};
struct Tree : Module {
  Leaf& leaf = child<Leaf>("leaf");
};

template <class Work>
void fork_beside(const Work& work) {
  std::atomic<bool> enough = false;
  std::thread other([&] {
    while (!enough) EXPECT_TRUE(work());
  });
  for (int child = 0; child < 50 && !testing::Test::HasFailure(); ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(300);  // instead of for ever
      _exit(work() ? 7 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  enough = true;
  other.join();
}

TEST(Fork, AChildMakesModules) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own allocator is locked in such a child";
#endif
  fork_beside([] { return Tree().leaf.path() == "leaf"; });
}

TEST(Fork, AChildWalksBack) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own allocator is locked in such a child";
#endif
  fork_beside([] {
    const Tensor x = Tensor(Array::full({3}, 2, DType::f64)).requires_grad_();
    for (int i = 0; i < 20; ++i) sum(x * x).backward();
    return sum(x.grad()).item() == 240;
  });
}

}  // namespace
}  // namespace heed::nn
