// Integers, as the arithmetic of shapes needs them, which heed's operators do not have: they get no
// gradients. Operands are i64 and broadcast. Internal to onnx.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::onnx {

/// Towards 0. Throws ValueError for a division by 0.
Array divide(const Array& x, const Array& y);
/// x - y truncated(x / y), with the sign of x, as C's %. Throws ValueError for 0.
Array c_remainder(const Array& x, const Array& y);
/// Wraps around. Throws ValueError for an exponent below 0.
Array power(const Array& x, const Array& y);

enum class Reduction { sum, product, most, least, mean };
/// Over axes in [0, rank), each once. Throws ShapeError for a most, least or mean of nothing.
Array reduce(const Array& x, Reduction reduction, const std::vector<Index>& axes, bool keepdim);
/// y_t = x_1 + .. + x_t; wraps around.
Array running_sum(const Array& x, Index axis);

/// x with `values` added at x[places[0], places[1], ..], once for each place they name; both are
/// broadcast, places among themselves, values to what they name; wraps around. Throws IndexError
/// for a place outside [0, size), ShapeError.
Array added_at(const Array& x, const std::vector<Array>& places, const Array& values);

/// The matrix product, of batches and vectors as NumPy has it; wraps around. Throws ShapeError.
Array product(const Array& x, const Array& y);

/// The numbers that an integer type of `bits` can hold: what does not fit wraps around.
Array wrapped(const Array& x, int bits, bool with_sign);

}  // namespace heed::onnx
