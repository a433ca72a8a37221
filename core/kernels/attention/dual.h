// Dual numbers over strips: a value, and its derivative by one variable. A function written for
// numbers, called with them, is differentiated by the compiler.
#pragma once

#include <concepts>
#include <type_traits>

#include "strip.h"

namespace heed::kernels {

template <class T>
struct Dual {
  Strip<T> v;
  Strip<T> d = Strip<T>(1);  ///< 0 unless it moves
  bool moves = false;        ///< it depends on the variable

  Dual(const Strip<T>& value) : v(value) {}
  /// Of so many numbers, to be written.
  explicit Dual(Index count) : v(count) {}
  /// The variable itself.
  static Dual variable(const Strip<T>& value) {
    Dual out(value);
    out.become_variable();
    return out;
  }
  void become_variable() {
    d = Strip<T>::of(1);
    moves = true;
  }
};

namespace detail {

// What stands beside a dual number: another one, a strip, a number.
template <class T>
const Strip<T>& value_of(const Dual<T>& x) {
  return x.v;
}
template <class T>
const Strip<T>& value_of(const Strip<T>& x) {
  return x;
}
template <class T>
bool moves(const Dual<T>& x) {
  return x.moves;
}
template <class X>
constexpr bool moves(const X&) {
  return false;
}
template <class X>
struct StripOf {
  static constexpr bool is_dual = false;
  using type = void;
};
template <class U>
struct StripOf<Dual<U>> {
  static constexpr bool is_dual = true;
  using type = U;
};
template <class X, class Y>
using NumberOf =
    std::conditional_t<StripOf<X>::is_dual, typename StripOf<X>::type, typename StripOf<Y>::type>;

// Two operands, one of which is a dual number.
template <class X, class Y>
concept WithDual =
    (StripOf<X>::is_dual || StripOf<Y>::is_dual) &&
    (StripOf<X>::is_dual || std::is_arithmetic_v<X> ||
     std::same_as<X, Strip<NumberOf<X, Y>>>)&&(StripOf<Y>::is_dual || std::is_arithmetic_v<Y> ||
                                               std::same_as<Y, Strip<NumberOf<X, Y>>>);

// An operand's parts, whatever it is.
template <class T, class X>
struct Parts {
  explicit Parts(const X& x)
      : own(Strip<T>::of(0)), v(value(x)), d(slope(x)), moves(detail::moves(x)) {}
  Strip<T> own;
  const Strip<T>& v;
  const Strip<T>& d;
  bool moves;

 private:
  const Strip<T>& value(const X& x) {
    if constexpr (std::is_arithmetic_v<X>) {
      own.x[0] = static_cast<T>(x);
      return own;
    } else {
      return value_of(x);
    }
  }
  const Strip<T>& slope(const X& x) {
    if constexpr (StripOf<X>::is_dual) {
      return x.d;
    } else {
      return own;
    }
  }
};

/// op(x, y), and by_x(to), by_y(to), which put their part of the slope there, for those that move.
template <class T, class X, class Y, class ByX, class ByY>
Dual<T> chain(Binary op, const Parts<T, X>& x, const Parts<T, Y>& y, const ByX& by_x,
              const ByY& by_y) {
  Dual<T> out(1);
  binary_into(op, x.v, y.v, out.v);
  out.moves = x.moves || y.moves;
  if (x.moves) by_x(out, out.d);
  if (y.moves && !x.moves) by_y(out, out.d);
  if (y.moves && x.moves) {
    Strip<T> other(1);
    by_y(out, other);
    binary_into(Binary::add, out.d, other, out.d);
  }
  return out;
}

template <class T, class Slope>
Dual<T> chain(Unary op, const Dual<T>& x, const Slope& slope) {
  Dual<T> out(1);
  unary_into(op, x.v, out.v);
  out.moves = x.moves;
  if (x.moves) slope(out.v, out.d);
  return out;
}

}  // namespace detail

#define HEED_DUAL_BINARY(name, op, by_x, by_y)                                              \
  template <class X, class Y>                                                               \
  requires detail::WithDual<X, Y>                                                           \
  auto name(const X& left, const Y& right) {                                                \
    using T = detail::NumberOf<X, Y>;                                                       \
    const detail::Parts<T, X> x(left);                                                      \
    const detail::Parts<T, Y> y(right);                                                     \
    return detail::chain<T>(                                                                \
        Binary::op, x, y, [&]([[maybe_unused]] const Dual<T>& out, Strip<T>& to) { by_x; }, \
        [&]([[maybe_unused]] const Dual<T>& out, Strip<T>& to) { by_y; });                  \
  }
HEED_DUAL_BINARY(operator+, add, to = x.d, to = y.d)
HEED_DUAL_BINARY(operator-, sub, to = x.d, unary_into(Unary::neg, y.d, to))
HEED_DUAL_BINARY(operator*, mul, binary_into(Binary::mul, x.d, y.v, to),
                 binary_into(Binary::mul, y.d, x.v, to))
HEED_DUAL_BINARY(operator/, div, binary_into(Binary::div, x.d, y.v, to), to = -(y.d * out.v / y.v))
HEED_DUAL_BINARY(pow, pow, to = x.d * binary(Binary::pow_by_x, x.v, y.v),
                 to = y.d * binary(Binary::pow_by_y, x.v, y.v))
// Where two are equal, half of each.
HEED_DUAL_BINARY(maximum, maximum, to = where(x.v == y.v, x.d * 0.5, where(x.v > y.v, x.d, 0)),
                 to = where(x.v == y.v, y.d * 0.5, where(y.v > x.v, y.d, 0)))
HEED_DUAL_BINARY(minimum, minimum, to = where(x.v == y.v, x.d * 0.5, where(x.v < y.v, x.d, 0)),
                 to = where(x.v == y.v, y.d * 0.5, where(y.v < x.v, y.d, 0)))
#undef HEED_DUAL_BINARY

#define HEED_DUAL_COMPARE(sign)                                                            \
  template <class X, class Y>                                                              \
  requires detail::WithDual<X, Y> StripMask operator sign(const X& left, const Y& right) { \
    using T = detail::NumberOf<X, Y>;                                                      \
    return detail::Parts<T, X>(left).v sign detail::Parts<T, Y>(right).v;                  \
  }
HEED_DUAL_COMPARE(==)
HEED_DUAL_COMPARE(!=)
HEED_DUAL_COMPARE(<)
HEED_DUAL_COMPARE(<=)
HEED_DUAL_COMPARE(>)
HEED_DUAL_COMPARE(>=)
#undef HEED_DUAL_COMPARE

template <class X, class Y>
requires detail::WithDual<X, Y>
auto where(const StripMask& condition, const X& left, const Y& right) {
  using T = detail::NumberOf<X, Y>;
  const detail::Parts<T, X> x(left);
  const detail::Parts<T, Y> y(right);
  Dual<T> out{where(condition, x.v, y.v)};
  out.moves = x.moves || y.moves;
  const Strip<T> still = Strip<T>::of(0);
  if (out.moves) out.d = where(condition, x.moves ? x.d : still, y.moves ? y.d : still);
  return out;
}

// Functions: from x, and y, the function's value, its slope.
#define HEED_DUAL_UNARY(name, op, slope)                                                    \
  template <class T>                                                                        \
  Dual<T> name(const Dual<T>& x) {                                                          \
    return detail::chain(Unary::op, x,                                                      \
                         [&]([[maybe_unused]] const Strip<T>& y, Strip<T>& to) { slope; }); \
  }
HEED_DUAL_UNARY(operator-, neg, unary_into(Unary::neg, x.d, to))
HEED_DUAL_UNARY(abs, abs, binary_into(Binary::abs_grad, x.d, x.v, to))
HEED_DUAL_UNARY(sign, sign, to = Strip<T>::of(0))
HEED_DUAL_UNARY(exp, exp, binary_into(Binary::mul, x.d, y, to))
HEED_DUAL_UNARY(expm1, expm1, binary_into(Binary::expm1_grad, x.d, y, to))
HEED_DUAL_UNARY(log, log, binary_into(Binary::div, x.d, x.v, to))
HEED_DUAL_UNARY(log1p, log1p, binary_into(Binary::log1p_grad, x.d, x.v, to))
HEED_DUAL_UNARY(sqrt, sqrt, binary_into(Binary::sqrt_grad, x.d, y, to))
HEED_DUAL_UNARY(rsqrt, rsqrt, binary_into(Binary::rsqrt_grad, x.d, y, to))
HEED_DUAL_UNARY(sin, sin, to = x.d * cos(x.v))
HEED_DUAL_UNARY(cos, cos, to = -(x.d * sin(x.v)))
HEED_DUAL_UNARY(erf, erf, binary_into(Binary::erf_grad, x.d, x.v, to))
HEED_DUAL_UNARY(square, square, binary_into(Binary::square_grad, x.d, x.v, to))
HEED_DUAL_UNARY(reciprocal, reciprocal, binary_into(Binary::reciprocal_grad, x.d, y, to))
HEED_DUAL_UNARY(tanh, tanh, binary_into(Binary::tanh_grad, x.d, y, to))
HEED_DUAL_UNARY(sigmoid, sigmoid, binary_into(Binary::sigmoid_grad, x.d, y, to))
HEED_DUAL_UNARY(relu, relu, binary_into(Binary::relu_grad, x.d, y, to))
#undef HEED_DUAL_UNARY

}  // namespace heed::kernels
