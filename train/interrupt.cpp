#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "../core/process_lock.h"

namespace heed::train {
namespace {

// Lock-free, as a signal handler needs.
std::atomic<bool> arrived{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remember(int signal) {
  // 128 + signal is what a shell reports for a process that the signal ended.
  if (arrived.exchange(true)) ::_exit(128 + signal);
}

// What was there before the first guard.
struct Actions {
  struct sigaction interrupt;
  struct sigaction terminate;
};
Actions before;
int guards = 0;
std::mutex& mutex() { return process_lock(ProcessLock::signals); }  // of these two

}  // namespace

InterruptGuard::InterruptGuard() {
  const std::lock_guard lock(mutex());
  if (guards++ > 0) return;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;  // a write under way goes on
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before.interrupt);
  ::sigaction(SIGTERM, &action, &before.terminate);
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard lock(mutex());
  if (--guards > 0) return;
  ::sigaction(SIGINT, &before.interrupt, nullptr);
  ::sigaction(SIGTERM, &before.terminate, nullptr);
  arrived = false;
}

bool interrupted() { return arrived; }

}  // namespace heed::train
