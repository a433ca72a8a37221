#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace heed::train {
namespace {

// Lock-free, as a signal handler needs.
std::atomic<bool> arrived{false};
std::atomic<int> guards{0};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remember(int signal) {
  // 128 + signal is what a shell reports for a process that the signal ended.
  if (arrived.exchange(true)) ::_exit(128 + signal);
}

}  // namespace

struct InterruptGuard::Actions {
  struct sigaction interrupt;
  struct sigaction terminate;
};

InterruptGuard::InterruptGuard() : old_(new Actions) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;  // a write under way goes on
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_->interrupt);
  ::sigaction(SIGTERM, &action, &old_->terminate);
  ++guards;
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &old_->interrupt, nullptr);
  ::sigaction(SIGTERM, &old_->terminate, nullptr);
  if (--guards == 0) arrived = false;
}

bool interrupted() { return arrived; }

}  // namespace heed::train
