// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/sparse_matrix_simd.cpp"
#include "sparse_matrix_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums stay in registers: of four vectors of columns, then of one.
template <class T>
void rows(const SparseData& a, Index first, Index last, const T* b, Index n, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = first; r < last; ++r) {
    const Index begin = a.begins[r], end = a.begins[r + 1];
    T* const row = to + r * n;
    Index c = 0;
    for (; c + 4 * lanes <= n; c += 4 * lanes) {
      auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
      for (Index i = begin; i < end; ++i) {
        const auto value = hn::Set(d, static_cast<T>(a.values[i]));
        const T* const from = b + a.places[i] * n + c;
        s0 = hn::MulAdd(value, hn::LoadU(d, from), s0);
        s1 = hn::MulAdd(value, hn::LoadU(d, from + lanes), s1);
        s2 = hn::MulAdd(value, hn::LoadU(d, from + 2 * lanes), s2);
        s3 = hn::MulAdd(value, hn::LoadU(d, from + 3 * lanes), s3);
      }
      hn::StoreU(s0, d, row + c);
      hn::StoreU(s1, d, row + c + lanes);
      hn::StoreU(s2, d, row + c + 2 * lanes);
      hn::StoreU(s3, d, row + c + 3 * lanes);
    }
    for (; c < n; c += lanes) {
      const Index count = std::min(lanes, n - c);
      auto sum = hn::Zero(d);
      for (Index i = begin; i < end; ++i) {
        const auto value = hn::Set(d, static_cast<T>(a.values[i]));
        sum = hn::MulAdd(value, load_first(d, b + a.places[i] * n + c, count), sum);
      }
      store_first(sum, d, row + c, count);
    }
  }
}

HEED_SIMD_TABLE(sparse, SparseKernels, {.rows = rows<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(sparse, SparseKernels)

}  // namespace heed::kernels::simd
#endif
