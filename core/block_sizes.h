// The sizes in which the allocator gives out blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace heed {

inline constexpr std::size_t kLargestSmall = 32768;
inline constexpr std::size_t kLinear = 16;  // classes of 64, 128, ..., 1024 bytes
inline constexpr std::size_t kSmallClasses = kLinear + std::size_t{4} * 5;

// Small classes: multiples of 64 up to 1024, then four to a doubling up to 32768.
struct SmallClass {
  std::size_t index, bytes;
};

inline SmallClass small_class(std::size_t bytes) {
  if (bytes <= 1024) {
    const std::size_t lines = std::max<std::size_t>((bytes + 63) / 64, 1);
    return {lines - 1, lines * 64};
  }
  const auto octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 11;  // 1025..2048: 0
  const std::size_t quarter = std::size_t{256} << octave;
  const std::size_t steps = (bytes - (std::size_t{1024} << octave) + quarter - 1) / quarter;
  return {kLinear + 4 * octave + steps - 1, (std::size_t{1024} << octave) + steps * quarter};
}

// Large blocks: eight classes to a doubling.
inline std::size_t large_bytes(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 8, 4096);
  return (bytes + step - 1) / step * step;
}

}  // namespace heed
