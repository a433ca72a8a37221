#include "strip.h"

#include "../elementwise/elementwise_simd.h"
#include "attention_simd.h"

namespace heed::kernels {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

template <class T>
void apply(Unary op, const Strip<T>& x, Strip<T>& to) {
  to.n = x.n;
  if (op == Unary::tanh && x.n > 1) return simd::tiles<T>().tanh(x.n, x.x, to.x);  // half the work
  simd::elements<T>().unary(op, x.x, to.x, size(to.n));
}
template <class T>
Strip<T> apply(Unary op, const Strip<T>& x) {
  Strip<T> out(x.n);
  apply(op, x, out);
  return out;
}

template <class T>
void apply(Binary op, const Strip<T>& x, const Strip<T>& y, Strip<T>& to) {
  const bool many_x = x.n > 1, many_y = y.n > 1;
  to.n = std::max(x.n, y.n);
  simd::elements<T>().binary(op, x.x, many_x, y.x, many_y, to.x, size(to.n));
}
template <class T>
Strip<T> apply(Binary op, const Strip<T>& x, const Strip<T>& y) {
  Strip<T> out(1);
  apply(op, x, y, out);
  return out;
}

template <class T, class Holds>
StripMask each(const Strip<T>& x, const Strip<T>& y, Holds holds) {
  StripMask out{std::max(x.n, y.n), {}};
  for (Index i = 0; i < out.n; ++i) out.x[i] = holds(x.at(i), y.at(i));
  return out;
}

template <class T>
StripMask apply(Compare op, const Strip<T>& x, const Strip<T>& y) {
  switch (op) {
    case Compare::eq: return each(x, y, [](T a, T b) { return a == b; });
    case Compare::ne: return each(x, y, [](T a, T b) { return a != b; });
    case Compare::lt: return each(x, y, [](T a, T b) { return a < b; });
    case Compare::le: return each(x, y, [](T a, T b) { return a <= b; });
    case Compare::gt: return each(x, y, [](T a, T b) { return a > b; });
    case Compare::ge: break;
  }
  return each(x, y, [](T a, T b) { return a >= b; });
}

template <class T>
Strip<T> choose(const StripMask& condition, const Strip<T>& x, const Strip<T>& y) {
  if (condition.n == 1) return condition.x[0] ? x : y;
  Strip<T> out(condition.n);
  simd::elements<T>().where(condition.x, x.x, x.n > 1, y.x, y.n > 1, out.x, size(out.n));
  return out;
}

template <class Logic>
StripMask combine(const StripMask& x, const StripMask& y, Logic logic) {
  StripMask out{std::max(x.n, y.n), {}};
  for (Index i = 0; i < out.n; ++i) out.x[i] = logic(x.at(i), y.at(i));
  return out;
}

}  // namespace

void unary_into(Unary op, const Strip<float>& x, Strip<float>& to) { apply(op, x, to); }
void unary_into(Unary op, const Strip<double>& x, Strip<double>& to) { apply(op, x, to); }
void binary_into(Binary op, const Strip<float>& x, const Strip<float>& y, Strip<float>& to) {
  apply(op, x, y, to);
}
void binary_into(Binary op, const Strip<double>& x, const Strip<double>& y, Strip<double>& to) {
  apply(op, x, y, to);
}
Strip<float> unary(Unary op, const Strip<float>& x) { return apply(op, x); }
Strip<double> unary(Unary op, const Strip<double>& x) { return apply(op, x); }
Strip<float> binary(Binary op, const Strip<float>& x, const Strip<float>& y) {
  return apply(op, x, y);
}
Strip<double> binary(Binary op, const Strip<double>& x, const Strip<double>& y) {
  return apply(op, x, y);
}
StripMask compare(Compare op, const Strip<float>& x, const Strip<float>& y) {
  return apply(op, x, y);
}
StripMask compare(Compare op, const Strip<double>& x, const Strip<double>& y) {
  return apply(op, x, y);
}
Strip<float> where(const StripMask& condition, const Strip<float>& x, const Strip<float>& y) {
  return choose(condition, x, y);
}
Strip<double> where(const StripMask& condition, const Strip<double>& x, const Strip<double>& y) {
  return choose(condition, x, y);
}

StripMask logical_not(const StripMask& x) {
  return combine(x, x, [](bool a, bool) { return !a; });
}
StripMask logical_and(const StripMask& x, const StripMask& y) {
  return combine(x, y, [](bool a, bool b) { return a && b; });
}
StripMask logical_or(const StripMask& x, const StripMask& y) {
  return combine(x, y, [](bool a, bool b) { return a || b; });
}

}  // namespace heed::kernels
