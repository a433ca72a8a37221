// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise/activation_simd.cpp"
#include "activation_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../simd_table.h"
#include "elementwise_simd-inl.h"
#include "math_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// log(1 + exp(x)) without overflow, and without losing small results.
template <class D, class V>
HWY_INLINE V log_one_plus_exp(D d, V x) {
  const auto tail = log1p(d, exp(d, hn::Neg(hn::Abs(x))));
  return hn::Add(relu(d, x), tail);
}

// The share of a normal distribution below x. f32: 1 / 2 + x P(x^2) / Q(x^2) of the least largest
// error, to 3 * 2^-24; beyond 5.29 it is 0 or 1 to that many digits.
template <class D, class V>
HWY_INLINE V normal_cdf(D d, V x) {
  using T = hn::TFromD<D>;
  const auto half = hn::Set(d, T{0.5});
  if constexpr (sizeof(T) == 8) {
    return hn::MulAdd(half, erf(d, hn::Mul(x, hn::Set(d, T(0.7071067811865476)))), half);
  } else {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto square = hn::Mul(x, x);
    auto p = hn::MulAdd(c(2.41076421e-8F), square, c(6.38105575e-6F));
    p = hn::MulAdd(p, square, c(1.60013762e-4F));
    p = hn::MulAdd(p, square, c(4.62617865e-3F));
    p = hn::MulAdd(p, square, c(3.29002589e-2F));
    p = hn::MulAdd(p, square, c(3.98942262e-1F));
    auto q = hn::MulAdd(c(1.23896791e-6F), square, c(7.12701149e-5F));
    q = hn::MulAdd(q, square, c(1.83477602e-3F));
    q = hn::MulAdd(q, square, c(2.8119415e-2F));
    q = hn::MulAdd(q, square, c(2.49134958e-1F));
    q = hn::MulAdd(q, square, c(1));
    const auto near = hn::Add(half, hn::Div(hn::Mul(x, p), q));
    const auto far = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), c(1));
    return hn::IfThenElse(hn::Gt(hn::Abs(x), c(5.29F)), far, near);
  }
}

template <class D, class V>
HWY_INLINE V normal_density(D d, V x) {
  using T = hn::TFromD<D>;
  const auto e = exp(d, hn::Mul(hn::Set(d, T{-0.5}), hn::Mul(x, x)));
  return hn::Mul(hn::Set(d, T(0.3989422804014327)), e);
}

// tanh(sqrt(2 / pi) (x + 0.044715 x^3)) of gelu's approximation.
template <class D, class V>
HWY_INLINE V gelu_inner_tanh(D d, V x) {
  using T = hn::TFromD<D>;
  const auto cubic = hn::MulAdd(hn::Mul(hn::Set(d, T(0.044715)), hn::Mul(x, x)), x, x);
  return tanh(d, hn::Mul(hn::Set(d, T(0.7978845608028654)), cubic));
}

template <class D, class V>
HWY_INLINE V gelu_tanh_slope(D d, V x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T{1});
  const auto half = hn::Set(d, T{0.5});
  const auto t = gelu_inner_tanh(d, x);
  const auto inner_slope = hn::Mul(hn::Set(d, T(0.7978845608028654)),
                                   hn::MulAdd(hn::Set(d, T(0.134145)), hn::Mul(x, x), one));
  const auto bend = hn::Mul(hn::NegMulAdd(t, t, one), inner_slope);
  const auto near = hn::Mul(half, hn::MulAdd(x, bend, hn::Add(one, t)));
  // Beyond 10 tanh is flat to the last digit, and the slope of what is inside of it may overflow.
  const auto far = hn::And(hn::Gt(hn::Abs(x), hn::Set(d, T{10})), hn::IsFinite(x));
  return hn::IfThenElse(far, hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), one), near);
}

template <class D, class V>
HWY_INLINE V silu_slope(D d, V x) {
  const auto one = hn::Set(d, hn::TFromD<D>{1});
  const auto s = sigmoid(d, x);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
}

#define HEED_LANES(body)                    \
  [lower, upper](auto d, auto x) HWY_ATTR { \
    const auto a = hn::Set(d, lower);       \
    const auto b = hn::Set(d, upper);       \
    (void)a, (void)b;                       \
    return body;                            \
  }

template <class T>
void loop(Activation op, const T* from, T* to, std::size_t n, T lower, T upper) {
  switch (op) {
    case Activation::log_sigmoid:
      return map(from, to, n, HEED_LANES(hn::Neg(log_one_plus_exp(d, hn::Neg(x)))));
    case Activation::leaky_relu:
      return map(from, to, n, HEED_LANES(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(a, x))));
    case Activation::elu:
      return map(from, to, n,
                 HEED_LANES(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(a, expm1(d, x)))));
    case Activation::gelu: return map(from, to, n, HEED_LANES(hn::Mul(x, normal_cdf(d, x))));
    case Activation::gelu_tanh:
      return map(from, to, n,
                 HEED_LANES(hn::Mul(hn::Mul(hn::Set(d, T{0.5}), x),
                                    hn::Add(hn::Set(d, T{1}), gelu_inner_tanh(d, x)))));
    case Activation::silu: return map(from, to, n, HEED_LANES(hn::Mul(x, sigmoid(d, x))));
    case Activation::softplus:
      return map(from, to, n,
                 HEED_LANES(hn::IfThenElse(hn::Gt(hn::Mul(a, x), b), x,
                                           hn::Div(log_one_plus_exp(d, hn::Mul(a, x)), a))));
    case Activation::clamp: return map(from, to, n, HEED_LANES(minimum(d, maximum(d, x, a), b)));
  }
}
#undef HEED_LANES

#define HEED_LANES(body)                            \
  [lower, upper](auto d, auto g, auto x) HWY_ATTR { \
    const auto a = hn::Set(d, lower);               \
    const auto b = hn::Set(d, upper);               \
    (void)a, (void)b;                               \
    return body;                                    \
  }

template <class T>
void grad_loop(Activation op, const T* in, const T* from, T* to, std::size_t n, T lower, T upper) {
  const auto run = [&](const auto& f) HWY_ATTR { zip_many(in, from, to, n, f); };
  switch (op) {
    case Activation::log_sigmoid: return run(HEED_LANES(hn::Mul(g, sigmoid(d, hn::Neg(x)))));
    case Activation::leaky_relu:
      return run(HEED_LANES(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, a))));
    case Activation::elu:
      return run(
          HEED_LANES(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(hn::Mul(g, a), exp(d, x)))));
    case Activation::gelu:
      return run(HEED_LANES(hn::Mul(g, hn::MulAdd(x, normal_density(d, x), normal_cdf(d, x)))));
    case Activation::gelu_tanh: return run(HEED_LANES(hn::Mul(g, gelu_tanh_slope(d, x))));
    case Activation::silu: return run(HEED_LANES(hn::Mul(g, silu_slope(d, x))));
    case Activation::softplus:
      return run(HEED_LANES(
          hn::IfThenElse(hn::Gt(hn::Mul(a, x), b), g, hn::Mul(g, sigmoid(d, hn::Mul(a, x))))));
    case Activation::clamp:
      return run(HEED_LANES(hn::IfThenElseZero(hn::And(hn::Ge(x, a), hn::Le(x, b)), g)));
  }
}
#undef HEED_LANES

HEED_SIMD_TABLE(activations, ActivationKernels, {.forward = loop<T>, .grad = grad_loop<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(activations, ActivationKernels)

}  // namespace heed::kernels::simd
#endif
