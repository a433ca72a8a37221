// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gru_simd.cpp"
#include "gru_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "math_simd-inl.h"
#include "partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls body(i, load, store) along a row: whole vectors, then what is left.
template <class D, class Body>
HWY_INLINE void along(D d, Index n, const Body& body) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    body(
        i, [d](const T* from) HWY_ATTR { return hn::LoadU(d, from); },
        [d](V v, T* to) HWY_ATTR { hn::StoreU(v, d, to); });
  }
  if (const Index left = n - i; left > 0) {
    body(
        i, [d, left](const T* from) HWY_ATTR { return load_first(d, from, left); },
        [d, left](V v, T* to) HWY_ATTR { store_first(v, d, to, left); });
  }
}

template <class T>
void step(T* gates, const T* recurrent, const T* bias, T* h, T* out, Index H) {
  const hn::ScalableTag<T> d;
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto sum = [&](Index gate) HWY_ATTR {
      return hn::Add(hn::Add(load(gates + gate * H + i), load(bias + gate * H + i)),
                     load(recurrent + gate * H + i));
    };
    const auto r = sigmoid(d, sum(0));
    const auto z = sigmoid(d, sum(1));
    const auto m = hn::Add(load(recurrent + 2 * H + i), load(bias + 3 * H + i));
    const auto n =
        tanh(d, hn::MulAdd(r, m, hn::Add(load(gates + 2 * H + i), load(bias + 2 * H + i))));
    const auto next = hn::MulAdd(z, hn::Sub(load(h + i), n), n);
    store(r, gates + i);
    store(z, gates + H + i);
    store(n, gates + 2 * H + i);
    store(m, gates + 3 * H + i);
    store(next, h + i);
    store(next, out + i);
  });
}

template <class T>
void step_grad(const T* gates, const T* h, const T* g, T* dh, T* grads, T* recurrent, T* sums,
               Index H) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T{1});
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto r = load(gates + i);
    const auto z = load(gates + H + i);
    const auto n = load(gates + 2 * H + i);
    const auto m = load(gates + 3 * H + i);
    const auto go = hn::Add(load(dh + i), load(g + i));
    const auto keep = hn::Mul(go, z);
    const auto dn = hn::Mul(hn::Sub(go, keep), hn::NegMulAdd(n, n, one));
    const auto dz = hn::Mul(hn::Mul(keep, hn::Sub(one, z)), hn::Sub(load(h + i), n));
    const auto dm = hn::Mul(dn, r);
    const auto dr = hn::Mul(hn::Mul(dm, m), hn::Sub(one, r));
    store(keep, dh + i);
    const auto give = [&](Index gate, auto v) HWY_ATTR {
      store(v, grads + gate * H + i);
      store(hn::Add(load(sums + gate * H + i), v), sums + gate * H + i);
      if (gate > 0) store(v, recurrent + (gate - 1) * H + i);
    };
    give(0, dn);
    give(1, dr);
    give(2, dz);
    give(3, dm);
  });
}

void step_f32(float* gates, const float* recurrent, const float* bias, float* h, float* out,
              Index H) {
  step(gates, recurrent, bias, h, out, H);
}
void step_f64(double* gates, const double* recurrent, const double* bias, double* h, double* out,
              Index H) {
  step(gates, recurrent, bias, h, out, H);
}
void step_grad_f32(const float* gates, const float* h, const float* g, float* dh, float* d,
                   float* recurrent, float* sums, Index H) {
  step_grad(gates, h, g, dh, d, recurrent, sums, H);
}
void step_grad_f64(const double* gates, const double* h, const double* g, double* dh, double* d,
                   double* recurrent, double* sums, Index H) {
  step_grad(gates, h, g, dh, d, recurrent, sums, H);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(step_f32);
HWY_EXPORT(step_f64);
HWY_EXPORT(step_grad_f32);
HWY_EXPORT(step_grad_f64);

void gru_step(float* gates, const float* recurrent, const float* bias, float* h, float* out,
              Index H) {
  HWY_DYNAMIC_DISPATCH(step_f32)(gates, recurrent, bias, h, out, H);
}
void gru_step(double* gates, const double* recurrent, const double* bias, double* h, double* out,
              Index H) {
  HWY_DYNAMIC_DISPATCH(step_f64)(gates, recurrent, bias, h, out, H);
}
void gru_step_grad(const float* gates, const float* h, const float* g, float* dh, float* d,
                   float* recurrent, float* sums, Index H) {
  HWY_DYNAMIC_DISPATCH(step_grad_f32)(gates, h, g, dh, d, recurrent, sums, H);
}
void gru_step_grad(const double* gates, const double* h, const double* g, double* dh, double* d,
                   double* recurrent, double* sums, Index H) {
  HWY_DYNAMIC_DISPATCH(step_grad_f64)(gates, h, g, dh, d, recurrent, sums, H);
}

}  // namespace heed::kernels::simd
#endif
