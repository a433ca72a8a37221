// A bound on the memory that a piece of work takes, beside the whole process's
// (set_memory_limit()): for sizes that somebody else's file says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

/// While it lasts, what this thread holds in blocks (allocator.h) may grow by so many bytes: one
/// more is an OutOfMemory. Small blocks come by the list and are refused some megabytes late. Of
/// budgets within one another each counts.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Whether it has refused a block: then it was no lack of memory.
  bool refused() const { return refused_; }

  /// The allocator's question before it takes a block from others than the thread: throws
  /// OutOfMemory where one of this thread's budgets has no room for it.
  static void ask(std::size_t bytes);

 private:
  const std::size_t bytes_;
  const std::int64_t before_;  // held by this thread
  MemoryBudget* const outer_;
  mutable bool refused_ = false;
};

namespace detail {
/// What this thread took less what it gave back, of whichever thread's. The allocator's.
std::int64_t live_bytes_of_thread() noexcept;
}  // namespace detail

}  // namespace heed
