#include "process_lock.h"

#include <pthread.h>

#include <cstddef>
#include <new>

namespace heed {
namespace {

constexpr auto kCount = static_cast<std::size_t>(ProcessLock::memory) + 1;
constinit std::mutex g_locks[kCount];
constinit std::recursive_mutex g_gradients;

void lock_all() {
  g_gradients.lock();
  for (std::mutex& lock : g_locks) lock.lock();
}
void unlock_list() {
  for (std::size_t i = kCount; i-- > 0;) g_locks[i].unlock();
}
void unlock_all() {
  unlock_list();
  g_gradients.unlock();
}
// It belongs to a thread by its number, which is another one in the child: it is made anew.
void open_in_child() {
  unlock_list();
  ::new (&g_gradients) std::recursive_mutex;
}

// One registration for all: handlers of several would run in an order that nobody chose.
[[maybe_unused]] const int g_registered = pthread_atfork(lock_all, unlock_all, open_in_child);

}  // namespace

std::mutex& process_lock(ProcessLock which) { return g_locks[static_cast<std::size_t>(which)]; }
std::recursive_mutex& gradients_lock() { return g_gradients; }

}  // namespace heed
