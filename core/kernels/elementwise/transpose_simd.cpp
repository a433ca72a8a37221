// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise/transpose_simd.cpp"
#include "transpose_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Four rows of four.
HWY_INLINE void transpose_4x4(const float* from, Index from_step, float* to, Index to_step) {
#if HWY_TARGET == HWY_SCALAR
  for (Index r = 0; r < 4; ++r) {
    for (Index c = 0; c < 4; ++c) to[r * to_step + c] = from[c * from_step + r];
  }
#else
  const hn::Full128<float> d;
  const hn::Full128<double> pairs;
  const auto as_pairs = [&](auto v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_step);
  const auto c = hn::LoadU(d, from + 2 * from_step), e = hn::LoadU(d, from + 3 * from_step);
  const auto ab_low = as_pairs(hn::InterleaveLower(d, a, b));
  const auto ab_high = as_pairs(hn::InterleaveUpper(d, a, b));
  const auto ce_low = as_pairs(hn::InterleaveLower(d, c, e));
  const auto ce_high = as_pairs(hn::InterleaveUpper(d, c, e));
  const auto store = [&](Index row, auto v)
                         HWY_ATTR { hn::StoreU(hn::BitCast(d, v), d, to + row * to_step); };
  store(0, hn::InterleaveLower(pairs, ab_low, ce_low));
  store(1, hn::InterleaveUpper(pairs, ab_low, ce_low));
  store(2, hn::InterleaveLower(pairs, ab_high, ce_high));
  store(3, hn::InterleaveUpper(pairs, ab_high, ce_high));
#endif
}

void tile(const float* from, Index from_step, float* to, Index to_step, Index rows, Index columns) {
  Index r = 0;
  for (; r + 4 <= rows; r += 4) {
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      transpose_4x4(from + c * from_step + r, from_step, to + r * to_step + c, to_step);
    }
    for (; c < columns; ++c) {
      for (Index i = r; i < r + 4; ++i) to[i * to_step + c] = from[c * from_step + i];
    }
  }
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[r * to_step + c] = from[c * from_step + r];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(tile);

void transpose_tile(const float* from, Index from_step, float* to, Index to_step, Index rows,
                    Index columns) {
  HWY_DYNAMIC_DISPATCH(tile)(from, from_step, to, to_step, rows, columns);
}

}  // namespace heed::kernels::simd
#endif
