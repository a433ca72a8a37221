#include "../../train/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heed::train {
namespace {

void (*handler_of(int signal))(int) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST(Interrupt, TheFirstSignalIsRemembered) {
  const auto before = handler_of(SIGINT);
  EXPECT_FALSE(interrupted());
  {
    const InterruptGuard guard;
    EXPECT_FALSE(interrupted());
    ::raise(SIGINT);
    EXPECT_TRUE(interrupted());
  }
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(handler_of(SIGINT), before);
}

TEST(Interrupt, GuardsNest) {
  const InterruptGuard outer;
  {
    const InterruptGuard inner;
    ::raise(SIGTERM);
  }
  EXPECT_TRUE(interrupted());
}

TEST(Interrupt, TheSecondSignalEndsTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const InterruptGuard guard;
    ::raise(SIGINT);
    if (!interrupted()) ::_exit(1);
    ::raise(SIGTERM);
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

}  // namespace
}  // namespace heed::train
