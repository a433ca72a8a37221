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
  /// Rounds any number once, to the nearest, ties to even; too large becomes infinite, NaN stays
  /// NaN.
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit constexpr BFloat16(T number) : bits(rounded(to_odd(number))) {}

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

  // The float that is the number, or of the two around it the one whose last bit is 1: on the same
  // side of every tie of bf16 as the number, which the nearest float may lie on.
  static constexpr float to_odd(float number) { return number; }
  template <class T>
  requires std::is_floating_point_v<T>
  static constexpr float to_odd(T number) {
    const auto near = static_cast<float>(number);
    const T value = near;
    const auto whole = std::bit_cast<std::uint32_t>(near);
    if (value == number || number != number || (whole & 1U) == 1) return near;
    const bool below = (value < 0 ? -value : value) < (number < 0 ? -number : number);
    return std::bit_cast<float>(below ? whole + 1 : whole - 1);
  }
  template <class T>
  requires std::is_integral_v<T>
  static constexpr float to_odd(T number) {
    if constexpr (sizeof(T) < sizeof(float)) return static_cast<float>(number);
    const auto wide = static_cast<std::uint64_t>(number);
    const bool negative = std::is_signed_v<T> && (wide >> 63) == 1;
    const std::uint64_t size = negative ? 0 - wide : wide;
    const int more = static_cast<int>(std::bit_width(size)) - 24;  // than a float's
    const std::uint64_t rest = more > 0 ? size & ((std::uint64_t{1} << more) - 1) : 0;
    const float near =
        static_cast<float>((size - rest) | (rest > 0 ? std::uint64_t{1} << more : 0));
    return negative ? -near : near;
  }
};
static_assert(sizeof(BFloat16) == 2);

}  // namespace heed
