// A strip of numbers, of which a function can be written as of one: what the scores of a tile are
// mapped with (tile_map.h). Operators and functions run over the whole strip, with the vectors of
// the processor at hand, and give what the kernels of the same name give of arrays,
// but for tanh, which is the one of additive scores.
#pragma once

#include <algorithm>

#include "../elementwise/elementwise.h"

namespace heed::kernels {

template <class T>
struct Strip {
  static constexpr Index kMost = 256;

  Index n;     ///< 1: the same number all along
  T x[kMost];  // uninitialised but for the first

  explicit Strip(Index count) : n(count) { x[0] = T{0}; }
  Strip(const Strip& other) : n(other.n) { std::copy_n(other.x, n, x); }
  Strip& operator=(const Strip& other) {
    n = other.n;
    std::copy_n(other.x, n, x);
    return *this;
  }
  static Strip of(double value) {
    Strip out(1);
    out.x[0] = static_cast<T>(value);
    return out;
  }
  T at(Index i) const { return x[n > 1 ? i : 0]; }
};

/// Of places: true or false.
struct StripMask {
  Index n;
  bool x[Strip<float>::kMost];
  bool at(Index i) const { return x[n > 1 ? i : 0]; }
};

/// The same in a place of their own, which may be an operand.
void unary_into(Unary op, const Strip<float>& x, Strip<float>& to);
void unary_into(Unary op, const Strip<double>& x, Strip<double>& to);
void binary_into(Binary op, const Strip<float>& x, const Strip<float>& y, Strip<float>& to);
void binary_into(Binary op, const Strip<double>& x, const Strip<double>& y, Strip<double>& to);
Strip<float> unary(Unary op, const Strip<float>& x);
Strip<double> unary(Unary op, const Strip<double>& x);
Strip<float> binary(Binary op, const Strip<float>& x, const Strip<float>& y);
Strip<double> binary(Binary op, const Strip<double>& x, const Strip<double>& y);
StripMask compare(Compare op, const Strip<float>& x, const Strip<float>& y);
StripMask compare(Compare op, const Strip<double>& x, const Strip<double>& y);
Strip<float> where(const StripMask& condition, const Strip<float>& x, const Strip<float>& y);
Strip<double> where(const StripMask& condition, const Strip<double>& x, const Strip<double>& y);

StripMask logical_not(const StripMask& x);
StripMask logical_and(const StripMask& x, const StripMask& y);
StripMask logical_or(const StripMask& x, const StripMask& y);

// As operators and functions of tensors are called.

#define HEED_STRIP_BINARY(name, op)                     \
  template <class T>                                    \
  Strip<T> name(const Strip<T>& x, const Strip<T>& y) { \
    return binary(Binary::op, x, y);                    \
  }                                                     \
  template <class T>                                    \
  Strip<T> name(const Strip<T>& x, double y) {          \
    return binary(Binary::op, x, Strip<T>::of(y));      \
  }                                                     \
  template <class T>                                    \
  Strip<T> name(double x, const Strip<T>& y) {          \
    return binary(Binary::op, Strip<T>::of(x), y);      \
  }
HEED_STRIP_BINARY(operator+, add)
HEED_STRIP_BINARY(operator-, sub)
HEED_STRIP_BINARY(operator*, mul)
HEED_STRIP_BINARY(operator/, div)
HEED_STRIP_BINARY(pow, pow)
HEED_STRIP_BINARY(maximum, maximum)
HEED_STRIP_BINARY(minimum, minimum)
#undef HEED_STRIP_BINARY

#define HEED_STRIP_UNARY(name, op)   \
  template <class T>                 \
  Strip<T> name(const Strip<T>& x) { \
    return unary(Unary::op, x);      \
  }
HEED_STRIP_UNARY(operator-, neg)
HEED_STRIP_UNARY(abs, abs)
HEED_STRIP_UNARY(sign, sign)
HEED_STRIP_UNARY(exp, exp)
HEED_STRIP_UNARY(expm1, expm1)
HEED_STRIP_UNARY(log, log)
HEED_STRIP_UNARY(log1p, log1p)
HEED_STRIP_UNARY(sqrt, sqrt)
HEED_STRIP_UNARY(rsqrt, rsqrt)
HEED_STRIP_UNARY(sin, sin)
HEED_STRIP_UNARY(cos, cos)
HEED_STRIP_UNARY(erf, erf)
HEED_STRIP_UNARY(square, square)
HEED_STRIP_UNARY(reciprocal, reciprocal)
HEED_STRIP_UNARY(tanh, tanh)
HEED_STRIP_UNARY(sigmoid, sigmoid)
HEED_STRIP_UNARY(relu, relu)
#undef HEED_STRIP_UNARY

#define HEED_STRIP_COMPARE(sign, op)                              \
  template <class T>                                              \
  StripMask operator sign(const Strip<T>& x, const Strip<T>& y) { \
    return compare(Compare::op, x, y);                            \
  }                                                               \
  template <class T>                                              \
  StripMask operator sign(const Strip<T>& x, double y) {          \
    return compare(Compare::op, x, Strip<T>::of(y));              \
  }                                                               \
  template <class T>                                              \
  StripMask operator sign(double x, const Strip<T>& y) {          \
    return compare(Compare::op, Strip<T>::of(x), y);              \
  }
HEED_STRIP_COMPARE(==, eq)
HEED_STRIP_COMPARE(!=, ne)
HEED_STRIP_COMPARE(<, lt)
HEED_STRIP_COMPARE(<=, le)
HEED_STRIP_COMPARE(>, gt)
HEED_STRIP_COMPARE(>=, ge)
#undef HEED_STRIP_COMPARE

template <class T>
Strip<T> where(const StripMask& condition, const Strip<T>& x, double y) {
  return where(condition, x, Strip<T>::of(y));
}
template <class T>
Strip<T> where(const StripMask& condition, double x, const Strip<T>& y) {
  return where(condition, Strip<T>::of(x), y);
}

}  // namespace heed::kernels
