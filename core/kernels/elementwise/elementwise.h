// Elementwise kernels, f32 and f64, any strides, broadcasting; SIMD by Highway, chosen at run time.
// Results are fresh and contiguous. Shapes and dtypes are checked here, in the operator's name.
#pragma once

#include "../../array.h"

namespace heed::kernels {

enum class Unary : std::uint8_t {
  neg,
  abs,
  sign,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  sin,
  cos,
  reciprocal,
  square,
  tanh,
  sigmoid,
  relu,
  erf
};
enum class Binary : std::uint8_t {
  add,
  sub,
  mul,
  div,
  pow,
  maximum,
  minimum,
  // Derivatives in one pass; x is the incoming gradient, y the operator's result.
  tanh_grad,        // g (1 - y^2)
  sigmoid_grad,     // g y (1 - y)
  relu_grad,        // g, but 0 where y <= 0
  abs_grad,         // g sign(x), 0 at NaN: y is the operator's operand, as in square_grad
  square_grad,      // 2 g x
  sqrt_grad,        // g / (2 y)
  rsqrt_grad,       // -g y^3 / 2
  reciprocal_grad,  // -g y^2
  expm1_grad,       // g (y + 1)
  log1p_grad,       // g / (x + 1), of the operand
  erf_grad,         // g 2 / sqrt(pi) exp(-x^2), of the operand
  // Derivatives of x^y by each operand, without the incoming gradient.
  pow_by_x,  // y x^(y - 1), 0 where y = 0
  pow_by_y   // x^y log(x), 0 where x = 0 and y >= 0
};
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class Kind : std::uint8_t { nan, infinite, finite };

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
/// bool: not x; and, or, exclusive or of two, broadcast.
Array logical_not(const Array& x);
Array logical_and(const Array& x, const Array& y);
Array logical_or(const Array& x, const Array& y);
Array logical_xor(const Array& x, const Array& y);
/// bool: whether each element is of the kind. Any dtype; integers are finite.
Array classify(Kind kind, const Array& x);

// In place, contiguous or not; `to` is written, the version bumped.

/// to = op(to, x); x broadcasts to the shape of `to`, and must not lie in its memory unless it is
/// the very same elements. Throws DTypeError, ShapeError.
void binary_into(Binary op, Array& to, const Array& x);
/// to += x, same shape and floating dtype.
void add_into(Array& to, const Array& x);
/// to *= factor, floating.
void scale_into(Array& to, double factor);

}  // namespace heed::kernels
