// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise/transpose_simd.cpp"
#include "transpose_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../simd_table.h"
#include "square_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

template <class T>
void tile(const T* from, Index from_step, T* to, Index to_step, Index rows, Index columns) {
  constexpr Index kEach = kSquare<T>;
  const auto one = [&](Index r, Index c) { to[r * to_step + c] = from[c * from_step + r]; };
  Index r = 0;
  for (; r + kEach <= rows; r += kEach) {
    Index c = 0;
    for (; c + kEach <= columns; c += kEach) {
      turn_square(from + c * from_step + r, from_step, to + r * to_step + c, to_step);
    }
    for (; c < columns; ++c) {
      for (Index i = r; i < r + kEach; ++i) one(i, c);
    }
  }
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) one(r, c);
  }
}

HEED_SIMD_TABLE(transposes, TransposeKernels, {.tile = tile<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(transposes, TransposeKernels)

}  // namespace heed::kernels::simd
#endif
