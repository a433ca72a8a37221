// A loop over neighbouring elements, vector by vector. Included once for each instruction set,
// after <hwy/highway.h>.
#if defined(HEED_EACH_VECTOR_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_EACH_VECTOR_SIMD_INL_H_
#undef HEED_EACH_VECTOR_SIMD_INL_H_
#else
#define HEED_EACH_VECTOR_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "../reduce/partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls body(i, load, store) for i = 0, lanes, 2 lanes, ...: load and store touch what is left.
template <class D, class Body>
HWY_INLINE void each_vector(D d, std::size_t n, const Body& body) {
  using T = hn::TFromD<D>;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    body(
        i, [d, i](const T* from) HWY_ATTR { return hn::LoadU(d, from + i); },
        [d, i](hn::Vec<D> v, T* to) HWY_ATTR { hn::StoreU(v, d, to + i); });
  }
  if (i == n) return;
  const auto rest = static_cast<Index>(n - i);
  body(
      i, [d, i, rest](const T* from) HWY_ATTR { return load_first(d, from + i, rest); },
      [d, i, rest](hn::Vec<D> v, T* to) HWY_ATTR { store_first(v, d, to + i, rest); });
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
