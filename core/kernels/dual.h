// Dual numbers over strips: a value, and its derivative by one variable. A function written for
// numbers, called with them, is differentiated by the compiler.
#pragma once

#include "strip.h"

namespace heed::kernels {

template <class T>
struct Dual {
  Strip<T> v;
  Strip<T> d;  ///< unset unless it moves
  bool moves;  ///< it depends on the variable

  Dual(const Strip<T>& value) : v(value), d(1), moves(false) {}
  Dual(const Strip<T>& value, const Strip<T>& derivative) : v(value), d(derivative), moves(true) {}
  /// The variable itself.
  static Dual variable(const Strip<T>& value) { return {value, Strip<T>::of(1)}; }
};

namespace detail {

/// of(v), whose derivative is slope().
template <class T, class Slope>
Dual<T> chain(const Strip<T>& value, const Dual<T>& x, const Slope& slope) {
  return x.moves ? Dual<T>(value, slope()) : Dual<T>(value);
}

template <class T, class ByX, class ByY>
Dual<T> chain(const Strip<T>& value, const Dual<T>& x, const Dual<T>& y, const ByX& by_x,
              const ByY& by_y) {
  if (x.moves && y.moves) return {value, by_x() + by_y()};
  if (x.moves) return {value, by_x()};
  return y.moves ? Dual<T>(value, by_y()) : Dual<T>(value);
}

}  // namespace detail

template <class T>
Dual<T> operator+(const Dual<T>& x, const Dual<T>& y) {
  return detail::chain(
      x.v + y.v, x, y, [&] { return x.d; }, [&] { return y.d; });
}
template <class T>
Dual<T> operator-(const Dual<T>& x, const Dual<T>& y) {
  return detail::chain(
      x.v - y.v, x, y, [&] { return x.d; }, [&] { return -y.d; });
}
template <class T>
Dual<T> operator*(const Dual<T>& x, const Dual<T>& y) {
  return detail::chain(
      x.v * y.v, x, y, [&] { return x.d * y.v; }, [&] { return y.d * x.v; });
}
template <class T>
Dual<T> operator/(const Dual<T>& x, const Dual<T>& y) {
  const Strip<T> quotient = x.v / y.v;
  return detail::chain(
      quotient, x, y, [&] { return x.d / y.v; }, [&] { return -(y.d * quotient / y.v); });
}
template <class T>
Dual<T> pow(const Dual<T>& x, const Dual<T>& y) {
  return detail::chain(
      pow(x.v, y.v), x, y, [&] { return x.d * binary(Binary::pow_by_x, x.v, y.v); },
      [&] { return y.d * binary(Binary::pow_by_y, x.v, y.v); });
}

namespace detail {

/// The derivative of whichever is `above`; where they are equal, half of each.
template <class T>
Dual<T> choice(const Strip<T>& value, const Dual<T>& x, const Dual<T>& y, Compare above) {
  const auto share = [&](const Strip<T>& d, const Strip<T>& own, const Strip<T>& other) {
    return where(own == other, d * 0.5, where(compare(above, own, other), d, 0 * d));
  };
  return chain(
      value, x, y, [&] { return share(x.d, x.v, y.v); }, [&] { return share(y.d, y.v, x.v); });
}

}  // namespace detail

template <class T>
Dual<T> maximum(const Dual<T>& x, const Dual<T>& y) {
  return detail::choice(maximum(x.v, y.v), x, y, Compare::gt);
}
template <class T>
Dual<T> minimum(const Dual<T>& x, const Dual<T>& y) {
  return detail::choice(minimum(x.v, y.v), x, y, Compare::lt);
}
template <class T>
Dual<T> where(const StripMask& condition, const Dual<T>& x, const Dual<T>& y) {
  const Strip<T> still = Strip<T>::of(0);
  const Strip<T> value = where(condition, x.v, y.v);
  if (!x.moves && !y.moves) return value;
  return {value, where(condition, x.moves ? x.d : still, y.moves ? y.d : still)};
}

// With strips and numbers, which do not move.
#define HEED_DUAL_BINARY(name)                        \
  template <class T>                                  \
  Dual<T> name(const Dual<T>& x, const Strip<T>& y) { \
    return name(x, Dual<T>(y));                       \
  }                                                   \
  template <class T>                                  \
  Dual<T> name(const Strip<T>& x, const Dual<T>& y) { \
    return name(Dual<T>(x), y);                       \
  }                                                   \
  template <class T>                                  \
  Dual<T> name(const Dual<T>& x, double y) {          \
    return name(x, Dual<T>(Strip<T>::of(y)));         \
  }                                                   \
  template <class T>                                  \
  Dual<T> name(double x, const Dual<T>& y) {          \
    return name(Dual<T>(Strip<T>::of(x)), y);         \
  }
HEED_DUAL_BINARY(operator+)
HEED_DUAL_BINARY(operator-)
HEED_DUAL_BINARY(operator*)
HEED_DUAL_BINARY(operator/)
HEED_DUAL_BINARY(pow)
HEED_DUAL_BINARY(maximum)
HEED_DUAL_BINARY(minimum)
#undef HEED_DUAL_BINARY

#define HEED_DUAL_COMPARE(sign)                                  \
  template <class T>                                             \
  StripMask operator sign(const Dual<T>& x, const Dual<T>& y) {  \
    return x.v sign y.v;                                         \
  }                                                              \
  template <class T>                                             \
  StripMask operator sign(const Dual<T>& x, const Strip<T>& y) { \
    return x.v sign y;                                           \
  }                                                              \
  template <class T>                                             \
  StripMask operator sign(const Strip<T>& x, const Dual<T>& y) { \
    return x sign y.v;                                           \
  }                                                              \
  template <class T>                                             \
  StripMask operator sign(const Dual<T>& x, double y) {          \
    return x.v sign y;                                           \
  }                                                              \
  template <class T>                                             \
  StripMask operator sign(double x, const Dual<T>& y) {          \
    return x sign y.v;                                           \
  }
HEED_DUAL_COMPARE(==)
HEED_DUAL_COMPARE(!=)
HEED_DUAL_COMPARE(<)
HEED_DUAL_COMPARE(<=)
HEED_DUAL_COMPARE(>)
HEED_DUAL_COMPARE(>=)
#undef HEED_DUAL_COMPARE

template <class T>
Dual<T> where(const StripMask& condition, const Dual<T>& x, const Strip<T>& y) {
  return where(condition, x, Dual<T>(y));
}
template <class T>
Dual<T> where(const StripMask& condition, const Strip<T>& x, const Dual<T>& y) {
  return where(condition, Dual<T>(x), y);
}
template <class T>
Dual<T> where(const StripMask& condition, const Dual<T>& x, double y) {
  return where(condition, x, Dual<T>(Strip<T>::of(y)));
}
template <class T>
Dual<T> where(const StripMask& condition, double x, const Dual<T>& y) {
  return where(condition, Dual<T>(Strip<T>::of(x)), y);
}

// Functions: the derivative of x.v where it is named, y the function's value.
#define HEED_DUAL_UNARY(name, slope)                                 \
  template <class T>                                                 \
  Dual<T> name(const Dual<T>& x) {                                   \
    const Strip<T> y = name(x.v);                                    \
    return detail::chain(y, x, [&]() -> Strip<T> { return slope; }); \
  }
HEED_DUAL_UNARY(operator-, -x.d)
HEED_DUAL_UNARY(abs, binary(Binary::abs_grad, x.d, x.v))
HEED_DUAL_UNARY(sign, 0 * y)
HEED_DUAL_UNARY(exp, x.d* y)
HEED_DUAL_UNARY(expm1, binary(Binary::expm1_grad, x.d, y))
HEED_DUAL_UNARY(log, x.d / x.v)
HEED_DUAL_UNARY(log1p, binary(Binary::log1p_grad, x.d, x.v))
HEED_DUAL_UNARY(sqrt, binary(Binary::sqrt_grad, x.d, y))
HEED_DUAL_UNARY(rsqrt, binary(Binary::rsqrt_grad, x.d, y))
HEED_DUAL_UNARY(sin, x.d* cos(x.v))
HEED_DUAL_UNARY(cos, -(x.d* sin(x.v)))
HEED_DUAL_UNARY(erf, binary(Binary::erf_grad, x.d, x.v))
HEED_DUAL_UNARY(square, binary(Binary::square_grad, x.d, x.v))
HEED_DUAL_UNARY(reciprocal, binary(Binary::reciprocal_grad, x.d, y))
HEED_DUAL_UNARY(tanh, binary(Binary::tanh_grad, x.d, y))
HEED_DUAL_UNARY(sigmoid, binary(Binary::sigmoid_grad, x.d, y))
HEED_DUAL_UNARY(relu, binary(Binary::relu_grad, x.d, y))
#undef HEED_DUAL_UNARY

}  // namespace heed::kernels
