// The first n lanes of a vector, for the ends of rows: touches no memory beyond them, and asks for
// no alignment. Included once for each instruction set, after <hwy/highway.h>.
#if defined(HEED_PARTIAL_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_PARTIAL_SIMD_INL_H_
#undef HEED_PARTIAL_SIMD_INL_H_
#else
#define HEED_PARTIAL_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Without instructions for it, Highway's masked loads and stores go over the whole vector, aligned.
#undef HEED_MASKED_MEMORY
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define HEED_MASKED_MEMORY 1
#else
#define HEED_MASKED_MEMORY 0
#endif

// from[0 .. n), zeros behind.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, Index n) {
#if HEED_MASKED_MEMORY
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(n)), d, from);
#else
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
  std::copy_n(from, n, lanes);
  return hn::Load(d, lanes);
#endif
}

#if HWY_TARGET == HWY_AVX2
// A masked store of AVX2 takes some forty steps on processors of AMD: by halves instead.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_by_halves(hn::Vec<D> v, D d, T* to, Index n) {
  constexpr Index kHalf = static_cast<Index>(hn::MaxLanes(D())) / 2;
  if (n >= 2 * kHalf) return hn::StoreU(v, d, to);
  if constexpr (sizeof(T) * kHalf >= 16) {
    const hn::Half<D> half;
    if (n < kHalf) return store_by_halves(hn::LowerHalf(half, v), half, to, n);
    hn::StoreU(hn::LowerHalf(half, v), half, to);
    store_by_halves(hn::UpperHalf(half, v), half, to + kHalf, n - kHalf);
  } else {
    static_assert(sizeof(T) >= 4);
    if constexpr (sizeof(T) == 4) {
      if (n >= 2) {
        const hn::Half<D> half;
        hn::StoreU(hn::LowerHalf(half, v), half, to);
        v = hn::ShiftRightLanes<2>(d, v);
        to += 2;
        n -= 2;
      }
    }
    if (n > 0) *to = hn::GetLane(v);
  }
}
#endif

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, Index n) {
#if HWY_TARGET == HWY_AVX2
  store_by_halves(v, d, to, n);
#elif HEED_MASKED_MEMORY
  hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(n)), d, to);
#else
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(v, d, lanes);
  std::copy_n(lanes, n, to);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
