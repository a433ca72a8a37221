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

#include <cmath>
#include <limits>

#include "exp_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Highway's polynomials stay within a few units in the last place but do not hand on NaN and
// infinity; the functions below add the ends that IEEE expects.

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

// For what has no vector form: f of each lane.
template <class D, class V, class F>
HWY_INLINE V each(D d, V x, const F& f) {
  HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(x, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
  return hn::Load(d, lanes);
}

template <class D, class V, class F>
HWY_INLINE V each(D d, V x, V y, const F& f) {
  HWY_ALIGN hn::TFromD<D> left[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  HWY_ALIGN hn::TFromD<D> right[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(x, d, left);
  hn::Store(y, d, right);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) left[i] = f(left[i], right[i]);
  return hn::Load(d, left);
}

template <class D, class V>
HWY_INLINE V expm1(D d, V x) {
  using T = hn::TFromD<D>;
  const auto top = hn::Set(d, sizeof(T) == 4 ? T(88.72283) : T(709.782712893384));
  auto y = hn::IfThenElse(hn::Gt(x, top), hn::Inf(d), hn::Expm1(d, hn::Min(x, top)));
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // -0 stays
  return keep_nan(d, x, y);
}

template <class D, class V>
HWY_INLINE V log1p(D d, V x) {
  using T = hn::TFromD<D>;
  const auto lowest = hn::Set(d, T{-1});
  auto y = hn::Log1p(d, x);
  y = hn::IfThenElse(hn::Or(hn::Eq(x, hn::Inf(d)), hn::Eq(x, hn::Zero(d))), x, y);
  y = hn::IfThenElse(hn::Eq(x, lowest), hn::Neg(hn::Inf(d)), y);
  y = hn::IfThenElse(hn::Lt(x, lowest), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), y);
  return keep_nan(d, x, y);
}

// Highway reduces the angle in a few steps, which serve near 0 only: elsewhere `slow` of each lane.
template <class D, class V, class F>
HWY_INLINE V far_from_zero(D d, V x, V y, const F& slow) {
  using T = hn::TFromD<D>;
  const auto small = hn::Lt(hn::Abs(x), hn::Set(d, sizeof(T) == 4 ? T(100) : T(10000)));
  return hn::AllTrue(d, small) ? y : hn::IfThenElse(small, y, each(d, x, slow));
}

template <class D, class V>
HWY_INLINE V sin(D d, V x) {
  using T = hn::TFromD<D>;
  const auto y = far_from_zero(d, x, hn::Sin(d, x), [](T a) { return std::sin(a); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // -0 stays
}

template <class D, class V>
HWY_INLINE V cos(D d, V x) {
  using T = hn::TFromD<D>;
  const auto y = far_from_zero(d, x, hn::Cos(d, x), [](T a) { return std::cos(a); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, T{1}), y);  // Highway's is not
}

// f32: two polynomials of the least largest error, in |x| for 1 - exp(...) and in x^2 near 0, each
// within 2 units in the last place.
template <class D, class V>
HWY_INLINE V erf(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    return each(d, x, [](T a) { return std::erf(a); });
  } else {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto square = hn::Mul(x, x);
    auto near = hn::MulAdd(c(-5.96761703e-4F), square, c(4.99119423e-3F));
    near = hn::MulAdd(near, square, c(-2.67681349e-2F));
    near = hn::MulAdd(near, square, c(1.12819925e-1F));
    near = hn::MulAdd(near, square, c(-3.76125336e-1F));
    near = hn::MulAdd(near, square, c(1.28379166e-1F));
    near = hn::MulAdd(near, x, x);
    const auto size = hn::Min(hn::Abs(x), c(8));  // 1 long before
    auto far = hn::MulAdd(c(-1.72853470e-5F), size, c(3.83197126e-4F));
    far = hn::MulAdd(far, hn::Mul(size, size),
                     hn::MulAdd(c(-3.88396438e-3F), size, c(2.42546219e-2F)));
    far = hn::MulAdd(far, size, c(-1.06777877e-1F));
    far = hn::MulAdd(far, size, c(-6.34846687e-1F));
    far = hn::MulAdd(far, size, c(-1.28717512e-1F));
    far = hn::MulAdd(far, size, hn::Neg(size));
    far = hn::CopySign(hn::Sub(c(1), exp_of(d, far)), x);
    const auto y = hn::IfThenElse(hn::Gt(hn::Abs(x), c(0.927734375F)), far, near);
    return keep_nan(d, x, y);
  }
}

// The derivative of erf: 2 / sqrt(pi) exp(-x^2)
template <class D, class V>
HWY_INLINE V erf_slope(D d, V x) {
  using T = hn::TFromD<D>;
  return hn::Mul(hn::Set(d, T(1.1283791670955126)), exp(d, hn::Neg(hn::Mul(x, x))));
}

// f32 with fused products: a quotient of polynomials, odd of degree 13 over even of degree 6, within
// |x| < 8 where it becomes 1; on x86 by an approximate reciprocal, of 12 bits or more, and one step
// of Newton's.
#undef HEED_FUSED
#define HEED_FUSED (!HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX2)
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8 || !HEED_FUSED) {
    return keep_nan(d, x, hn::Tanh(d, x));
  } else {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto z = hn::Clamp(x, c(-7.99881172F), c(7.99881172F));
    const auto square = hn::Mul(z, z);
    constexpr float kScale = 256;  // of both, so that small x times p is a normal number
    auto p =
        hn::MulAdd(c(kScale * -2.76076847742355e-16F), square, c(kScale * 2.00018790482477e-13F));
    p = hn::MulAdd(p, square, c(kScale * -8.60467152213735e-11F));
    p = hn::MulAdd(p, square, c(kScale * 5.12229709037114e-08F));
    p = hn::MulAdd(p, square, c(kScale * 1.48572235717979e-05F));
    p = hn::MulAdd(p, square, c(kScale * 6.37261928875436e-04F));
    p = hn::MulAdd(p, square, c(kScale * 4.89352518554385e-03F));
    auto q =
        hn::MulAdd(c(kScale * 1.19825839466702e-06F), square, c(kScale * 1.18534705686654e-04F));
    q = hn::MulAdd(q, square, c(kScale * 2.26843463243900e-03F));
    q = hn::MulAdd(q, square, c(kScale * 4.89352518554385e-03F));
    const auto top = hn::Mul(z, p);
#if HWY_ARCH_X86
    const auto near = hn::ApproximateReciprocal(q);
    return keep_nan(d, x, hn::Mul(top, hn::Mul(near, hn::NegMulAdd(q, near, c(2)))));
#else
    return keep_nan(d, x, hn::Div(top, q));
#endif
  }
}

// exp of doubles to the digits of a float, which may be infinity or 0 then: a Taylor series about
// the nearest power of two.
template <class D, class V>
HWY_INLINE V exp_to_float(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto c = [d](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto z = hn::Min(hn::Max(x, c(-200)), c(200));
  const auto shifted = hn::MulAdd(z, c(1.4426950408889634), c(6755399441055744.0));
  const auto n = hn::Sub(shifted, c(6755399441055744.0));
  const auto r = hn::NegMulAdd(n, c(0.6931471805599453), z);
  auto y = hn::MulAdd(c(1.0 / 362880), r, c(1.0 / 40320));
  y = hn::MulAdd(y, r, c(1.0 / 5040));
  y = hn::MulAdd(y, r, c(1.0 / 720));
  y = hn::MulAdd(y, r, c(1.0 / 120));
  y = hn::MulAdd(y, r, c(1.0 / 24));
  y = hn::MulAdd(y, r, c(1.0 / 6));
  y = hn::MulAdd(y, r, c(0.5));
  y = hn::MulAdd(y, r, c(1));
  y = hn::MulAdd(y, r, c(1));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::BitCast(di, shifted), hn::Set(di, 1023)));
  return hn::Mul(y, hn::BitCast(d, power));
}

// x^y. f32 by way of f64, so that it is rounded once; what is not finite, and 0, lane by lane.
template <class D, class V>
HWY_INLINE V pow(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const auto slow = [](T a, T b) { return std::pow(a, b); };
#if HWY_TARGET == HWY_SCALAR
  return each(d, x, y, slow);
#else
  if constexpr (sizeof(T) == 8) {
    return each(d, x, y, slow);
  } else {
    const hn::Repartition<double, D> wide;
    const hn::Half<D> half;
    const auto size = hn::Abs(x);
    const auto usual = hn::And(hn::And(hn::Gt(size, hn::Zero(d)), hn::Lt(size, hn::Inf(d))),
                               hn::Lt(hn::Abs(y), hn::Inf(d)));
    if (!hn::AllTrue(d, usual)) return each(d, x, y, slow);
    const auto power = [&](auto a, auto b) HWY_ATTR {
      const auto log_a = hn::Log(wide, hn::PromoteTo(wide, a));
      return hn::DemoteTo(half, exp_to_float(wide, hn::Mul(log_a, hn::PromoteTo(wide, b))));
    };
    const auto low = power(hn::LowerHalf(half, size), hn::LowerHalf(half, y));
    const auto high = power(hn::UpperHalf(half, size), hn::UpperHalf(half, y));
    const auto all = hn::Combine(d, high, low);
    if (hn::AllTrue(d, hn::Gt(x, hn::Zero(d)))) return all;
    // Of a negative number: a whole power, whose sign is an odd one's; else NaN.
    const auto one = hn::Set(d, T{1});
    const auto halved = hn::Mul(y, hn::Set(d, T(0.5)));
    const auto whole = hn::Eq(hn::Round(y), y);
    const auto odd = hn::And(whole, hn::Ne(hn::Round(halved), halved));
    const auto sign = hn::IfThenElse(odd, hn::Neg(one), one);
    const auto of_negative =
        hn::IfThenElse(whole, hn::Mul(all, sign), hn::Set(d, std::numeric_limits<T>::quiet_NaN()));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), of_negative, all);
  }
#endif
}

// 1 / (1 + exp(-|x|)) mirrored: neither tail cancels or overflows.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T{1});
  const auto e = exp(d, hn::Neg(hn::Abs(x)));
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
