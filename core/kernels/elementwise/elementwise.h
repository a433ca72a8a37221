// Elementwise kernels, f32 and f64, any strides, broadcasting; SIMD by Highway, chosen at run time.
// Results are fresh and contiguous. Shapes and dtypes are checked here, in the operator's name.
#pragma once

#include "../../array.h"

namespace heed::kernels {

// The functions: a name, and what it makes of vectors a (and b) of numbers of type T in the words
// of Highway (hn, d) and math_simd-inl.h. The enumerators, their names and the loops come from
// here. clang-format off
#define HEED_UNARY_KERNELS(X)                      \
  X(neg, hn::Neg(a))                               \
  X(abs, hn::Abs(a))                               \
  X(sign, sign(d, a))                              \
  X(exp, exp(d, a))                                \
  X(expm1, expm1(d, a))                            \
  X(log, log(d, a))                                \
  X(log1p, log1p(d, a))                            \
  X(sqrt, hn::Sqrt(a))                             \
  X(rsqrt, hn::Div(hn::Set(d, T{1}), hn::Sqrt(a))) \
  X(sin, sin(d, a))                                \
  X(cos, cos(d, a))                                \
  X(reciprocal, hn::Div(hn::Set(d, T{1}), a))      \
  X(square, hn::Mul(a, a))                         \
  X(tanh, tanh(d, a))                              \
  X(sigmoid, sigmoid(d, a))                        \
  X(relu, relu(d, a))                              \
  X(erf, erf(d, a))
#define HEED_BINARY_KERNELS(X)                                                                     \
  X(add, hn::Add(a, b))                                                                            \
  X(sub, hn::Sub(a, b))                                                                            \
  X(mul, hn::Mul(a, b))                                                                            \
  X(div, hn::Div(a, b))                                                                            \
  X(pow, pow(d, a, b))                                                                             \
  X(maximum, maximum(d, a, b))                                                                     \
  X(minimum, minimum(d, a, b))                                                                     \
  /* Derivatives in one pass; a is the incoming gradient, b the operator's result. */              \
  X(tanh_grad, hn::NegMulAdd(hn::Mul(a, b), b, a))  /* g (1 - y^2) */                              \
  X(sigmoid_grad, hn::Mul(hn::Mul(a, b), hn::Sub(hn::Set(d, T{1}), b)))  /* g y (1 - y) */         \
  X(relu_grad, hn::IfThenZeroElse(hn::Le(b, hn::Zero(d)), a))  /* g, but 0 where y <= 0 */         \
  X(sqrt_grad, hn::Div(a, hn::Add(b, b)))  /* g / (2 y) */                                         \
  /* -g y^3 / 2 */                                                                                 \
  X(rsqrt_grad, hn::Mul(hn::Mul(hn::Set(d, T{-0.5}), a), hn::Mul(hn::Mul(b, b), b)))               \
  X(reciprocal_grad, hn::Neg(hn::Mul(a, hn::Mul(b, b))))  /* -g y^2 */                             \
  X(expm1_grad, hn::Mul(a, hn::Add(b, hn::Set(d, T{1}))))  /* g (y + 1) */                         \
  /* The same; b is the operator's operand, x. */                                                  \
  X(abs_grad, hn::Mul(a, hn::IfThenElseZero(hn::Eq(b, b), sign(d, b))))  /* g sign(x), 0 at NaN */ \
  X(square_grad, hn::Mul(hn::Add(a, a), b))  /* 2 g x */                                           \
  X(log1p_grad, hn::Div(a, hn::Add(b, hn::Set(d, T{1}))))  /* g / (x + 1) */                       \
  X(erf_grad, hn::Mul(a, erf_slope(d, b)))  /* g 2 / sqrt(pi) exp(-x^2) */                         \
  /* Derivatives of a^b by each operand, without the incoming gradient. */                         \
  /* b a^(b - 1), 0 where b = 0 */                                                                 \
  X(pow_by_x, hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),                                           \
    hn::Mul(b, pow(d, a, hn::Sub(b, hn::Set(d, T{1}))))))                                          \
  /* a^b log(a), 0 where a = 0 and b >= 0 */                                                       \
  X(pow_by_y, hn::IfThenZeroElse(hn::And(hn::Eq(a, hn::Zero(d)), hn::Ge(b, hn::Zero(d))),          \
    hn::Mul(pow(d, a, b), log(d, a))))
// clang-format on

#define HEED_NAMED(name, ...) name,
enum class Unary : std::uint8_t { HEED_UNARY_KERNELS(HEED_NAMED) };
enum class Binary : std::uint8_t { HEED_BINARY_KERNELS(HEED_NAMED) };
#undef HEED_NAMED
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

}  // namespace heed::kernels
