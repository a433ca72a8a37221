// Elementwise kernels, f32 and f64, any strides, broadcasting; SIMD by Highway, chosen at run time.
// Results are fresh and contiguous. Shapes and dtypes are checked here, in the operator's name.
#pragma once

#include "../array.h"

namespace heed::kernels {

enum class Unary : std::uint8_t {
  neg,
  abs,
  sign,
  exp,
  log,
  sqrt,
  reciprocal,
  square,
  tanh,
  sigmoid,
  relu
};
enum class Binary : std::uint8_t {
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,
  // Derivatives in one pass; x is the incoming gradient, y the operator's result.
  tanh_grad,     // g (1 - y^2)
  sigmoid_grad,  // g y (1 - y)
  relu_grad,     // g where y > 0, else 0
};
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge };

const char* name(Unary op);
const char* name(Binary op);

/// out = op(x). Throws DTypeError.
Array unary(Unary op, const Array& x);
/// out = op(x, y), broadcast. Throws DTypeError unless both are the same floating dtype,
/// ShapeError.
Array binary(Binary op, const Array& x, const Array& y);
/// bool, broadcast; any dtype, both the same.
Array compare(Compare op, const Array& x, const Array& y);
/// x where condition (bool) is true, y elsewhere; all three broadcast. x and y of one dtype, any.
Array where(const Array& condition, const Array& x, const Array& y);
/// bool: not x; x and y, broadcast.
Array logical_not(const Array& x);
Array logical_and(const Array& x, const Array& y);

// In place, contiguous or not; `to` is written, the version bumped.

/// to += x, same shape and floating dtype.
void add_into(Array& to, const Array& x);
/// to *= factor, floating.
void scale_into(Array& to, double factor);

}  // namespace heed::kernels
