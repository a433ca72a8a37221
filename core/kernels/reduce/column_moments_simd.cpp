// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/reduce/column_moments_simd.cpp"
#include "column_moments_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "../elementwise/each_vector_simd-inl.h"
#include "../simd_table.h"
#include "long_sum_simd-inl.h"
#include "variance_simd.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The columns' sums of (x - middle)^2, in a strip; `few` are zeros, before and after.
template <class T>
void squares_about(const T* x, Index rows, Index step, const T* middle, Index width, T* few,
                   double* squares) {
  const hn::ScalableTag<T> d;
  std::fill_n(squares, width, 0.0);
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, static_cast<std::size_t>(width),
                [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
                  const auto away = hn::Sub(load(x + r * step), load(middle));
                  store(hn::MulAdd(away, away, load(few)), few);
                });
    if ((r + 1) % kFewRows == 0 || r + 1 == rows) move_sums(few, squares, width);
  }
}

// Means that lie far from 0, about `middle`: to it comes what was rounded away, the mean of
// x - middle, so that of equal numbers it is that number. False if there are none.
template <class T>
bool correct(const T* x, Index rows, Index step, Index width, const double* squares, double* mean,
             T* middle) {
  const double part = 1 / static_cast<double>(rows);
  const auto far = [&](Index c) { return is_far(mean[c], squares[c] * part); };
  bool any = false;
  for (Index c = 0; c < width; ++c) any |= far(c);
  if (!any) return false;
  for (Index c = 0; c < width; ++c) {  // of numbers whose sum is too large, about the first
    if (!std::isfinite(middle[c])) middle[c] = x[c];
  }
  double off[kStripColumns] = {};
  add_columns<1>(hn::ScalableTag<T>(), rows, width, {off},
                 [&](Index r, const auto& load, auto* parts) HWY_ATTR {
                   parts[0] = hn::Add(parts[0], hn::Sub(load(x + r * step), load(middle)));
                 });
  for (Index c = 0; c < width; ++c) {
    const double corrected = static_cast<double>(middle[c]) + off[c] / static_cast<double>(rows);
    if (far(c) && std::isfinite(corrected)) mean[c] = corrected;
    middle[c] = static_cast<T>(mean[c]);
  }
  return true;
}

template <class T>
void moments(const T* x, Index rows, Index columns, double* mean, double* squares) {
  const hn::ScalableTag<T> d;
  std::fill_n(mean, columns, 0.0);
  T few[kStripColumns] = {}, middle[kStripColumns];
  for (Index first = 0; first < columns; first += kStripColumns) {
    const Index width = std::min(kStripColumns, columns - first);
    const T* const from = x + first;
    add_columns<1>(d, rows, width, {mean + first},
                   [&](Index r, const auto& load, auto* parts)
                       HWY_ATTR { parts[0] = hn::Add(parts[0], load(from + r * columns)); });
    for (Index c = 0; c < width; ++c) {
      mean[first + c] /= static_cast<double>(rows);
      middle[c] = static_cast<T>(mean[first + c]);
    }
    squares_about(from, rows, columns, middle, width, few, squares + first);
    if (!correct(from, rows, columns, width, squares + first, mean + first, middle)) continue;
    squares_about(from, rows, columns, middle, width, few, squares + first);
  }
}

HEED_SIMD_TABLE(column_moments, ColumnMomentsKernels, {.moments = moments<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(column_moments, ColumnMomentsKernels)

}  // namespace heed::kernels::simd
#endif
