// The exponential on Highway vectors: all of them, and what is never much above 0, as softmax has it.
// Included once for each instruction set, after <hwy/highway.h>.
#if defined(HEED_EXP_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_EXP_SIMD_INL_H_
#undef HEED_EXP_SIMD_INL_H_
#else
#define HEED_EXP_SIMD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V keep_nan(D, V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// exp(x) for |x| < 2^20 as y 2^n, n whole, y = exp(r) with |r| <= log(2) / 2, to 1 unit in the last
// place: what rounds x / log(2) leaves n in the low bits.
template <class V, class I>
struct ExpParts {
  V y;
  I n;
};
template <class D, class V>
HWY_INLINE auto exp_parts(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto shifted = hn::MulAdd(x, c(1.44269504F), c(12582912));
  const auto n = hn::Sub(shifted, c(12582912));
  auto r = hn::NegMulAdd(n, c(0.693359375F), x);
  r = hn::NegMulAdd(n, c(-2.12194440e-4F), r);
  auto y = hn::MulAdd(c(1.9875691500e-4F), r, c(1.3981999507e-3F));
  y = hn::MulAdd(y, r, c(8.3334519073e-3F));
  y = hn::MulAdd(y, r, c(4.1665795894e-2F));
  y = hn::MulAdd(y, r, c(1.6666665459e-1F));
  y = hn::MulAdd(y, r, c(5.0000001201e-1F));
  y = hn::Add(hn::MulAdd(y, hn::Mul(r, r), r), c(1));
  return ExpParts<V, hn::Vec<decltype(di)>>{y, hn::BitCast(di, shifted)};
}

// 2^n of the low bits.
template <class D, class I>
HWY_INLINE hn::Vec<D> power_of_two(D d, I n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// Where some lane's result is not a normal number: by two powers, of which each is.
template <class D, class V>
HWY_NOINLINE V exp_far(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto top = hn::Set(d, 88.7228394F), low = hn::Set(d, -104.0F);
  const auto parts = exp_parts(d, hn::Max(hn::Min(x, top), low));
  const auto n = hn::Sub(parts.n, hn::BitCast(di, hn::Set(d, 12582912.0F)));
  const auto half = hn::ShiftRight<1>(n);
  auto y = hn::Mul(hn::Mul(parts.y, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
  y = hn::IfThenElse(hn::Gt(x, top), hn::Inf(d), hn::IfThenZeroElse(hn::Lt(x, low), y));
  return keep_nan(d, x, y);
}

template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    // Beyond it exp leaves the type; inside, Highway's scaling by a power of two holds.
    const auto top = hn::Set(d, T(709.782712893384));
    const auto y = hn::IfThenElse(hn::Gt(x, top), hn::Inf(d), hn::Exp(d, hn::Min(x, top)));
    return keep_nan(d, x, y);
  } else {
    if (!hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, T(87))))) return exp_far(d, x);
    const auto parts = exp_parts(d, x);
    return hn::Mul(parts.y, power_of_two(d, parts.n));
  }
}

// exp(x) for x that is not much above 0: 0 below the smallest normal number, NaN for NaN.
template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const auto y = exp(d, x);
    return hn::IfThenZeroElse(hn::Eq(x, hn::Neg(hn::Inf(d))), y);
  } else {
    const auto parts = exp_parts(d, x);
    const auto y = hn::Mul(parts.y, power_of_two(d, parts.n));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3365F)), y);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
