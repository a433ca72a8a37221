// Which numbers i64 holds. Internal.
#pragma once

#include "../../../core/dtype.h"
#include "../../../core/scalar.h"

namespace heed {

/// Whether an integer that is `value` as a double, and `whole` in i64, was not wrapped around.
inline bool in_i64(double value, std::int64_t whole) { return (value < 0) == (whole < 0); }

/// Whether the number lies within i64's range; an unsigned integer beyond it was wrapped around,
/// and NaN and infinity do not.
inline bool in_i64(Scalar number) {
  const double value = number.value();
  if (!is_floating(number.dtype())) return in_i64(value, number.whole());
  return value >= -0x1p63 && value < 0x1p63;
}

/// Throws ValueError: an unsigned integer was wrapped around to `whole`.
[[noreturn]] void throw_beyond_i64(const char* op, std::int64_t whole);
/// Throws ValueError for a number that i64 does not hold.
void check_in_i64(const char* op, Scalar number);

}  // namespace heed
