// Elementary functions on Highway vectors, shared by the vector kernels. Included once for each
// instruction set, after <hwy/highway.h>.
#if defined(HEED_MATH_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_MATH_SIMD_INL_H_
#undef HEED_MATH_SIMD_INL_H_
#else
#define HEED_MATH_SIMD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Highway's polynomials stay within a few units in the last place but do not hand on NaN and
// infinity; the functions below add the ends that IEEE expects.

template <class D, class V>
HWY_INLINE V keep_nan(D, V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  using T = hn::TFromD<D>;
  // Beyond these exp leaves the type; inside, Highway's scaling by a power of two holds.
  const auto top = hn::Set(d, sizeof(T) == 4 ? T(88.72283) : T(709.782712893384));
  const auto y = hn::IfThenElse(hn::Gt(x, top), hn::Inf(d), hn::Exp(d, hn::Min(x, top)));
  return keep_nan(d, x, y);
}

template <class D, class V>
HWY_INLINE V log(D d, V x) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  auto y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, hn::Inf(d)), x, y);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(hn::Inf(d)), y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), y);
  return keep_nan(d, x, y);
}

template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  return keep_nan(d, x, hn::Tanh(d, x));
}

// 1 / (1 + exp(-|x|)) mirrored: neither tail cancels or overflows.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T{1});
  const auto e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const auto scale = hn::Div(one, hn::Add(one, e));
  const auto y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(e, scale), scale);
  return keep_nan(d, x, y);
}

template <class D, class V>
HWY_INLINE V sign(D d, V x) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  const auto unit = hn::CopySign(hn::Set(d, T{1}), x);
  return hn::IfThenElse(hn::Or(hn::Gt(x, zero), hn::Lt(x, zero)), unit, hn::Add(x, zero));
}

// Like std::max but NaN on either side comes out, as in PyTorch.
template <class D, class V>
HWY_INLINE V maximum(D d, V x, V y) {
  return keep_nan(d, x, keep_nan(d, y, hn::IfThenElse(hn::Gt(x, y), x, y)));
}

template <class D, class V>
HWY_INLINE V minimum(D d, V x, V y) {
  return keep_nan(d, x, keep_nan(d, y, hn::IfThenElse(hn::Lt(x, y), x, y)));
}

template <class D, class V>
HWY_INLINE V relu(D d, V x) {
  return keep_nan(d, x, hn::ZeroIfNegative(x));
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
