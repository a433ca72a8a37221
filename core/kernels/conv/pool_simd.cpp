// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/conv/pool_simd.cpp"
#include "pool_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Images are small: rows of eight are whole vectors.
template <class T>
using Few = hn::CappedTag<T, 32 / sizeof(T)>;

// x[0], x[step], ..: nothing behind the last of them is touched.
template <class T>
HWY_INLINE hn::Vec<Few<T>> load_apart(const T* x, Index step) {
  const Few<T> d;
  if (step == 1) return hn::LoadU(d, x);
  const auto lanes = static_cast<Index>(hn::Lanes(d));
#if HWY_TARGET != HWY_SCALAR
  if (step == 2) {
    const auto second = hn::ShiftRightLanes<1>(d, hn::LoadU(d, x + lanes - 1));
    return hn::ConcatEven(d, second, hn::LoadU(d, x));
  }
#endif
  HWY_ALIGN T gathered[HWY_MAX_BYTES / sizeof(T)];
  for (Index i = 0; i < lanes; ++i) gathered[i] = x[i * step];
  return hn::Load(d, gathered);
}

template <class T>
void largest(Index n, const T* x, Index step, Index places, const Index* offsets, T* most,
             T* chosen) {
  const Few<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto held = load_apart(x + i * step + offsets[0], step);
    auto place = hn::Zero(d);
    for (Index p = 1; p < places; ++p) {
      const auto value = load_apart(x + i * step + offsets[p], step);
      const auto takes = hn::AndNot(hn::IsNaN(held), hn::Not(hn::Le(value, held)));
      held = hn::IfThenElse(takes, value, held);
      place = hn::IfThenElse(takes, hn::Set(d, static_cast<T>(p)), place);
    }
    hn::StoreU(held, d, most + i);
    hn::StoreU(place, d, chosen + i);
  }
  for (; i < n; ++i) {
    const T* const window = x + i * step;
    Index place = 0;
    for (Index p = 1; p < places; ++p) {
      const T value = window[offsets[p]], held = window[offsets[place]];
      if (!(value <= held) && held == held) place = p;
    }
    most[i] = window[offsets[place]];
    chosen[i] = static_cast<T>(place);
  }
}

HEED_SIMD_TABLE(pooling, PoolKernels, {.largest = largest<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(pooling, PoolKernels)

}  // namespace heed::kernels::simd
#endif
