// Allocations that fail when a test says so: operator new (replaced in this program) and the blocks
// of the library's allocator are counted together.
#pragma once

#include <cstdint>

namespace heed {

/// From now on the n-th allocation fails (1: the next one), once, or it and all that follow.
class FailingAllocation {
 public:
  enum class Then { recover, stay_out };
  FailingAllocation(std::int64_t n, Then then);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// True when as many were asked for.
  bool reached() const;
};

/// False where operator new is not this program's, as under valgrind without
/// --soname-synonyms=somalloc=nouserintercepts.
bool counts_allocations();

}  // namespace heed
