// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rnn/rnn_simd.cpp"
#include "rnn_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../elementwise/math_simd-inl.h"
#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"

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

// The sum inside of a gate that needs no more than that.
template <class T, class Load>
HWY_INLINE auto summed(const RnnStep<T>& at, Index place, const Load& load) {
  return hn::Add(hn::Add(load(at.kept + place), load(at.bias + place)), load(at.recurrent + place));
}

template <bool kRelu, class T>
void simple(const RnnStep<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto sum = summed(at, i, load);
    const auto next = kRelu ? relu(d, sum) : tanh(d, sum);
    store(next, at.kept + i);
    store(next, at.h + i);
    store(next, at.out + i);
  });
}

template <class T>
void gru(const RnnStep<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto r = sigmoid(d, summed(at, i, load));
    const auto z = sigmoid(d, summed(at, H + i, load));
    const auto m = hn::Add(load(at.recurrent + 2 * H + i), load(at.bias + 3 * H + i));
    const auto n =
        tanh(d, hn::MulAdd(r, m, hn::Add(load(at.kept + 2 * H + i), load(at.bias + 2 * H + i))));
    const auto next = hn::MulAdd(z, hn::Sub(load(at.h + i), n), n);
    store(r, at.kept + i);
    store(z, at.kept + H + i);
    store(n, at.kept + 2 * H + i);
    store(m, at.kept + 3 * H + i);
    store(next, at.h + i);
    store(next, at.out + i);
  });
}

template <class T>
void lstm(const RnnStep<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  along(d, H, [&](Index j, const auto& load, const auto& store) HWY_ATTR {
    const auto i = sigmoid(d, summed(at, j, load));
    const auto f = sigmoid(d, summed(at, H + j, load));
    const auto g = tanh(d, summed(at, 2 * H + j, load));
    const auto o = sigmoid(d, summed(at, 3 * H + j, load));
    const auto c = hn::MulAdd(f, load(at.c + j), hn::Mul(i, g));
    const auto next = hn::Mul(o, tanh(d, c));
    store(i, at.kept + j);
    store(f, at.kept + H + j);
    store(g, at.kept + 2 * H + j);
    store(o, at.kept + 3 * H + j);
    store(c, at.kept + 4 * H + j);
    store(c, at.c + j);
    store(next, at.h + j);
    store(next, at.out + j);
  });
}

// The gradient of one term: to d, to the sums, and, after the terms of x alone, to W_hh h.
template <class T, class V, class Store, class Load>
HWY_INLINE void give(const RnnStepGrad<T>& at, Index place, V v, Index own, const Load& load,
                     const Store& store) {
  store(v, at.d + place);
  store(hn::Add(load(at.sums + place), v), at.sums + place);
  if (place >= own) store(v, at.recurrent + (place - own));
}

template <bool kRelu, class T>
void simple_grad(const RnnStepGrad<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  const auto zero = hn::Zero(d);
  const auto one = hn::Set(d, T{1});
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto h = load(at.kept + i);
    const auto go = hn::Add(load(at.dh + i), load(at.g + i));
    const auto sum =
        kRelu ? hn::IfThenElseZero(hn::Gt(h, zero), go) : hn::Mul(go, hn::NegMulAdd(h, h, one));
    store(zero, at.dh + i);
    give(at, i, sum, 0, load, store);
  });
}

template <class T>
void gru_grad(const RnnStepGrad<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T{1});
  along(d, H, [&](Index i, const auto& load, const auto& store) HWY_ATTR {
    const auto r = load(at.kept + i);
    const auto z = load(at.kept + H + i);
    const auto n = load(at.kept + 2 * H + i);
    const auto m = load(at.kept + 3 * H + i);
    const auto go = hn::Add(load(at.dh + i), load(at.g + i));
    const auto keep = hn::Mul(go, z);
    const auto dn = hn::Mul(hn::Sub(go, keep), hn::NegMulAdd(n, n, one));
    const auto dz = hn::Mul(hn::Mul(keep, hn::Sub(one, z)), hn::Sub(load(at.h + i), n));
    const auto dm = hn::Mul(dn, r);
    const auto dr = hn::Mul(hn::Mul(dm, m), hn::Sub(one, r));
    store(keep, at.dh + i);
    give(at, i, dn, H, load, store);
    give(at, H + i, dr, H, load, store);
    give(at, 2 * H + i, dz, H, load, store);
    give(at, 3 * H + i, dm, H, load, store);
  });
}

template <class T>
void lstm_grad(const RnnStepGrad<T>& at, Index H) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T{1});
  along(d, H, [&](Index j, const auto& load, const auto& store) HWY_ATTR {
    const auto i = load(at.kept + j);
    const auto f = load(at.kept + H + j);
    const auto g = load(at.kept + 2 * H + j);
    const auto o = load(at.kept + 3 * H + j);
    const auto t = tanh(d, load(at.kept + 4 * H + j));
    const auto go = hn::Mul(hn::Add(load(at.dh + j), load(at.g + j)), o);
    const auto dc = hn::MulAdd(go, hn::NegMulAdd(t, t, one), load(at.dc + j));
    const auto df = hn::Mul(dc, f);
    const auto di = hn::Mul(dc, i);
    store(hn::Zero(d), at.dh + j);
    store(df, at.dc + j);
    give(at, j, hn::Mul(hn::Mul(di, g), hn::Sub(one, i)), 0, load, store);
    give(at, H + j, hn::Mul(hn::Mul(df, load(at.c + j)), hn::Sub(one, f)), 0, load, store);
    give(at, 2 * H + j, hn::Mul(di, hn::NegMulAdd(g, g, one)), 0, load, store);
    give(at, 3 * H + j, hn::Mul(hn::Mul(go, t), hn::Sub(one, o)), 0, load, store);
  });
}

template <class T>
void step(RnnCell cell, const RnnStep<T>& at, Index H) {
  switch (cell) {
    case RnnCell::tanh: return simple<false>(at, H);
    case RnnCell::relu: return simple<true>(at, H);
    case RnnCell::gru: return gru(at, H);
    case RnnCell::lstm: return lstm(at, H);
  }
}

template <class T>
void step_grad(RnnCell cell, const RnnStepGrad<T>& at, Index H) {
  switch (cell) {
    case RnnCell::tanh: return simple_grad<false>(at, H);
    case RnnCell::relu: return simple_grad<true>(at, H);
    case RnnCell::gru: return gru_grad(at, H);
    case RnnCell::lstm: return lstm_grad(at, H);
  }
}

HEED_SIMD_TABLE(rnn, RnnKernels, {.step = step<T>, .step_grad = step_grad<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(rnn, RnnKernels)

}  // namespace heed::kernels::simd
#endif
