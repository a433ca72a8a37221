#include "process_lock.h"

#include <pthread.h>

#include <cstddef>

namespace heed {
namespace {

constexpr auto kCount = static_cast<std::size_t>(ProcessLock::memory) + 1;
constinit std::mutex g_locks[kCount];

void lock_all() {
  for (std::mutex& lock : g_locks) lock.lock();
}
void unlock_all() {
  for (std::size_t i = kCount; i-- > 0;) g_locks[i].unlock();
}

// One registration for all: handlers of several would run in an order that nobody chose.
[[maybe_unused]] const int g_registered = pthread_atfork(lock_all, unlock_all, unlock_all);

}  // namespace

std::mutex& process_lock(ProcessLock which) { return g_locks[static_cast<std::size_t>(which)]; }

}  // namespace heed
