// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/reduce/finite_simd.cpp"
#include "finite_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
bool all_finite(Index n, const T* x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto sum = hn::Zero(d);  // NaN times 0 and infinity times 0 are NaN, and stay
  Index i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::MulAdd(hn::LoadU(d, x + i), hn::Zero(d), sum);
  T rest{0};
  for (; i < n; ++i) rest += x[i] * T{0};
  return rest == T{0} && hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

HEED_SIMD_TABLE(finite, FiniteKernels, {.all = all_finite<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(finite, FiniteKernels)

}  // namespace heed::kernels::simd
#endif
