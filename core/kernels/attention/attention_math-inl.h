// tanh for the places of attention: in f32 half the work of Highway's, which holds to the last bit;
// here a few units in the last place serve. Included once for each instruction set, after
// <hwy/highway.h>.
#if defined(HEED_ATTENTION_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_ATTENTION_MATH_INL_H_
#undef HEED_ATTENTION_MATH_INL_H_
#else
#define HEED_ATTENTION_MATH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "../elementwise/math_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// f32: a quotient of polynomials, odd of degree 13 over even of degree 6, within |x| < 8 where tanh
// becomes 1; the quotient by an approximate reciprocal and one step of Newton's.
template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return tanh(d, x);
  } else {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto z = hn::Clamp(x, c(-7.99881172F), c(7.99881172F));
    const auto square = hn::Mul(z, z);
    auto p = hn::MulAdd(c(-2.76076847742355e-16F), square, c(2.00018790482477e-13F));
    p = hn::MulAdd(p, square, c(-8.60467152213735e-11F));
    p = hn::MulAdd(p, square, c(5.12229709037114e-08F));
    p = hn::MulAdd(p, square, c(1.48572235717979e-05F));
    p = hn::MulAdd(p, square, c(6.37261928875436e-04F));
    p = hn::MulAdd(p, square, c(4.89352455891786e-03F));
    auto q = hn::MulAdd(c(1.19825839466702e-06F), square, c(1.18534705686654e-04F));
    q = hn::MulAdd(q, square, c(2.26843463243900e-03F));
    q = hn::MulAdd(q, square, c(4.89352518554385e-03F));
    const auto top = hn::Mul(z, p);
#if HWY_ARCH_X86  // whose reciprocal has 12 bits or more; NEON's has 8, and one step leaves 16 of them
    const auto near = hn::ApproximateReciprocal(q);
    return keep_nan(d, x, hn::Mul(top, hn::Mul(near, hn::NegMulAdd(q, near, c(2)))));
#else
    return keep_nan(d, x, hn::Div(top, q));
#endif
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
