// Squares of a matrix, turned in registers. Included once for each instruction set, after
// <hwy/highway.h>.
#if defined(HEED_SQUARE_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_SQUARE_SIMD_INL_H_
#undef HEED_SQUARE_SIMD_INL_H_
#else
#define HEED_SQUARE_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "../../shape.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// turn_square: to[j][i] = from[i][j], of kSquare by kSquare.
#if HWY_TARGET == HWY_SCALAR
template <class T>
constexpr Index kSquare = 2;
template <class T>
HWY_INLINE void turn_square(const T* from, Index step, T* to, Index to_step) {
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 2; ++j) to[j * to_step + i] = from[i * step + j];
  }
}
#else
template <class T>
constexpr Index kSquare = 16 / sizeof(T);
HWY_INLINE void turn_square(const float* from, Index step, float* to, Index to_step) {
  const hn::FixedTag<float, 4> d;
  const auto x0 = hn::LoadU(d, from), x1 = hn::LoadU(d, from + step);
  const auto x2 = hn::LoadU(d, from + 2 * step), x3 = hn::LoadU(d, from + 3 * step);
  const auto low01 = hn::InterleaveLower(d, x0, x1), high01 = hn::InterleaveUpper(d, x0, x1);
  const auto low23 = hn::InterleaveLower(d, x2, x3), high23 = hn::InterleaveUpper(d, x2, x3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, to + to_step);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, to + 2 * to_step);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, to + 3 * to_step);
}
HWY_INLINE void turn_square(const double* from, Index step, double* to, Index to_step) {
  const hn::FixedTag<double, 2> d;
  const auto x0 = hn::LoadU(d, from), x1 = hn::LoadU(d, from + step);
  hn::StoreU(hn::InterleaveLower(d, x0, x1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, x0, x1), d, to + to_step);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
