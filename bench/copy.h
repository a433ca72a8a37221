// The copy that measures the machine's memory: warm blocks too large for any cache.
#pragma once

#include <cstddef>

namespace bench::copy {

inline constexpr std::size_t kBytes = std::size_t{256} << 20;
/// Read and written.
constexpr double bytes() { return 2.0 * kBytes; }

}  // namespace bench::copy
