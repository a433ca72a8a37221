// Scalar: a number beside a tensor, which knows whether it was written as an integer, a bool or
// with a point: `x + 1` of an i64 tensor stays i64, `x + 0.5` becomes f32.
#pragma once

#include <concepts>
#include <type_traits>

#include "dtype.h"

namespace heed {

/// An integer, and no bool.
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

class Scalar {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Scalar(T value)
      : value_(static_cast<double>(value)),
        whole_(std::is_integral_v<T> ? static_cast<std::int64_t>(value) : 0),
        dtype_(std::same_as<T, bool>   ? DType::boolean
               : std::is_integral_v<T> ? DType::i64
                                       : DType::f32) {}

  constexpr double value() const { return value_; }
  /// Of an integer or a bool.
  constexpr std::int64_t whole() const { return whole_; }
  /// What it was written as: boolean, i64, or f32 for any number with a point.
  constexpr DType dtype() const { return dtype_; }

 private:
  double value_;
  std::int64_t whole_;
  DType dtype_;
};

}  // namespace heed
