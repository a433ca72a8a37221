// Loops of vector functions over runs of neighbouring elements. Included once for each instruction
// set, after <hwy/highway.h>.
#if defined(HEED_ELEMENTWISE_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_ELEMENTWISE_SIMD_INL_H_
#undef HEED_ELEMENTWISE_SIMD_INL_H_
#else
#define HEED_ELEMENTWISE_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "../reduce/partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What is left at the end of a run of a vector and more is done as a whole vector, some lanes of
// which the loop does, too: read before anything is written, since `to` may be an operand.

// to[i] = f(x[i])
template <class T, class F>
void map(const T* x, T* to, std::size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    const auto rest = static_cast<Index>(n);
    if (n > 0) store_first(f(d, load_first(d, x, rest)), d, to, rest);
    return;
  }
  const std::size_t last = n - lanes;
  const auto end = f(d, hn::LoadU(d, x + last));
  for (std::size_t i = 0; i < last; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, to + i);
  hn::StoreU(end, d, to + last);
}

// to[i] = f(x[i], y[i])
template <class T, class F>
void zip_many(const T* x, const T* y, T* to, std::size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    const auto rest = static_cast<Index>(n);
    if (n > 0) store_first(f(d, load_first(d, x, rest), load_first(d, y, rest)), d, to, rest);
    return;
  }
  const std::size_t last = n - lanes;
  const auto end = f(d, hn::LoadU(d, x + last), hn::LoadU(d, y + last));
  for (std::size_t i = 0; i < last; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, to + i);
  }
  hn::StoreU(end, d, to + last);
}

// The same; an operand that is not `many` is one element for the whole run.
template <class T, class F>
void zip(const T* x, bool many_x, const T* y, bool many_y, T* to, std::size_t n, const F& f) {
  if (n == 0) return;
  const hn::ScalableTag<T> d;
  if (many_x && many_y) return zip_many(x, y, to, n, f);
  const auto one_x = hn::Set(d, *x);
  const auto one_y = hn::Set(d, *y);
  if (many_x) return map(x, to, n, [&](auto, auto a) HWY_ATTR { return f(d, a, one_y); });
  if (many_y) return map(y, to, n, [&](auto, auto b) HWY_ATTR { return f(d, one_x, b); });
  const auto value = f(d, one_x, one_y);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(value, d, to + i);
  if (i < n) store_first(value, d, to + i, static_cast<Index>(n - i));
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
