// How much memory is held at most while something runs. Under AddressSanitizer every allocation of
// the process counts, those of C libraries too; elsewhere what operator new gave, which leaves out
// arrays, whose allocator keeps its own counts (memory_stats()).
#pragma once

#include <cstddef>

namespace heed::fuzz {

class PeakMemory {
 public:
  /// From now on.
  PeakMemory();
  /// The most that was held at once since then, beyond what was held then.
  std::size_t bytes() const;

 private:
  std::size_t before_;
};

}  // namespace heed::fuzz
