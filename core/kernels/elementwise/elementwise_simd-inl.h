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

// to[i] = f(x[i])
template <class T, class F>
void map(const T* x, T* to, std::size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, to + i);
  if (i < n) {
    const auto rest = static_cast<Index>(n - i);
    store_first(f(d, load_first(d, x + i, rest)), d, to + i, rest);
  }
}

// to[i] = f(x[i], y[i])
template <class T, class F>
void zip_many(const T* x, const T* y, T* to, std::size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, to + i);
  }
  if (i < n) {
    const auto rest = static_cast<Index>(n - i);
    store_first(f(d, load_first(d, x + i, rest), load_first(d, y + i, rest)), d, to + i, rest);
  }
}

// The same; an operand that is not `many` is one element for the whole run.
template <class T, class F>
void zip(const T* x, bool many_x, const T* y, bool many_y, T* to, std::size_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  if (n == 0) return;
  const auto one_x = hn::Set(d, *x);
  const auto one_y = hn::Set(d, *y);
  std::size_t i = 0;
  if (many_x && many_y) return zip_many(x, y, to, n, f);
  if (many_x) {
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i), one_y), d, to + i);
  } else if (many_y) {
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, one_x, hn::LoadU(d, y + i)), d, to + i);
  } else {
    const auto value = f(d, one_x, one_y);
    for (; i + lanes <= n; i += lanes) hn::StoreU(value, d, to + i);
  }
  if (i < n) {
    const auto rest = static_cast<Index>(n - i);
    const auto a = many_x ? load_first(d, x + i, rest) : one_x;
    const auto b = many_y ? load_first(d, y + i, rest) : one_y;
    store_first(f(d, a, b), d, to + i, rest);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
