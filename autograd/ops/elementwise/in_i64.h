// Which numbers i64 holds. Internal.
#pragma once

#include "../../../core/dtype.h"
#include "../../../core/scalar.h"

namespace heed {

/// Whether the number lies within i64's range; an unsigned integer beyond it was wrapped around,
/// and NaN and infinity do not.
inline bool in_i64(Scalar number) {
  const double value = number.value();
  if (!is_floating(number.dtype())) return (value < 0) == (number.whole() < 0);
  return value >= -0x1p63 && value < 0x1p63;
}

/// Throws ValueError for an integer that was wrapped around.
void check_in_i64(const char* op, Scalar number);

}  // namespace heed
