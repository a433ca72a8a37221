// BFloat16: the upper half of an f32, its range with 8 bits of significand, in two bytes. For
// holding numbers; arithmetic takes its value as a float.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace heed {

struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;
  /// Rounds to the nearest, ties to even; too large becomes infinite, NaN stays NaN. Doubles and
  /// integers are rounded to float first.
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit constexpr BFloat16(T number) : bits(rounded(static_cast<float>(number))) {}

  /// Exact.
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  static constexpr std::uint16_t rounded(float number) {
    const auto whole = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t near = (whole + 0x7FFFU + ((whole >> 16) & 1U)) >> 16;
    const bool nan = (whole & 0x7FFFFFFFU) > 0x7F800000U;
    return static_cast<std::uint16_t>(nan ? (whole >> 16) | 0x40U : near);
  }
};
static_assert(sizeof(BFloat16) == 2);

}  // namespace heed
