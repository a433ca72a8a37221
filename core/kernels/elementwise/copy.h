// Copies between layouts and dtypes.
#pragma once

#include "../../array.h"
#include "../../scalar.h"

namespace heed::kernels {

/// Writes `from` into `to`, elementwise, converting the dtype. Shapes must be equal, any strides.
/// `to` is written whatever its version; the caller bumps it.
void copy_into(Array& to, const Array& from);

/// Writes `parts` into `to`, one behind the other along `axis` (not negative), which has their sizes
/// together; the other axes are alike.
void join_into(Array& to, const std::vector<Array>& parts, Index axis);

/// x with the order along each of `axes` (not negative, each once) reversed.
Array flip(const Array& x, const std::vector<Index>& axes);

/// Sets every element to `value`, cast to the dtype; an integer in i64 keeps all its digits.
void fill(Array& to, Scalar value);

}  // namespace heed::kernels
