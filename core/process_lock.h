// Locks of which a process has one each. A child of fork() has none of its parent's other threads,
// one of which may have been inside of such a lock, and nobody would ever open it there: so fork()
// waits until it has all of them, and parent and child open them afterwards.
//
//   const std::lock_guard lock(process_lock(ProcessLock::loans));
#pragma once

#include <cstdint>
#include <mutex>

namespace heed {

/// What is locked. Who holds one may take those that stand below it, never one above.
enum class ProcessLock : std::uint8_t {
  observer,  ///< who is told of operators, and the telling
  loans,     ///< which numbers are lent
  parents,   ///< of modules
  unowned,   ///< modules that nobody holds as a child
  signals,   ///< who handles them
  pool,      ///< of threads
  memory,    ///< the allocator's blocks
};

/// Lives as long as the process, from before the first static object to after the last.
std::mutex& process_lock(ProcessLock which);

/// That of gradients (autograd/accumulate.h), which stands above all of the list; recursive.
std::recursive_mutex& gradients_lock();

}  // namespace heed
