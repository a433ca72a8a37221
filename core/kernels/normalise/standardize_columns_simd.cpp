// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/normalise/standardize_columns_simd.cpp"
#include "standardize_columns_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "../elementwise/each_vector_simd-inl.h"
#include "../reduce/long_sum_simd-inl.h"
#include "../reduce/variance_simd.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr Index kStrip = 512;       // columns
constexpr Index kFew = 4 * kChain;  // rows that are added up as they are

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
    if ((r + 1) % kFew == 0 || r + 1 == rows) move_sums(few, squares, width);
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
  double off[kStrip] = {};
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
  T few[kStrip] = {}, middle[kStrip];
  for (Index first = 0; first < columns; first += kStrip) {
    const Index width = std::min(kStrip, columns - first);
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

template <class T>
void forward(const T* x, Index rows, Index columns, const T* mean, const T* factor, const T* shift,
             T* to) {
  const hn::ScalableTag<T> d;
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, static_cast<std::size_t>(columns),
                [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
                  const auto away = hn::Sub(load(x + r * columns), load(mean));
                  store(hn::MulAdd(away, load(factor), load(shift)), to + r * columns);
                });
  }
}

template <class T>
void sums(const T* g, const T* x, Index rows, Index columns, const T* mean, double* sum,
          double* product) {
  const hn::ScalableTag<T> d;
  std::fill_n(sum, columns, 0.0);
  std::fill_n(product, columns, 0.0);
  T few[kStrip] = {}, few_products[kStrip] = {};
  for (Index first = 0; first < columns; first += kStrip) {
    const Index width = std::min(kStrip, columns - first);
    for (Index r = 0; r < rows; ++r) {
      const T *const row_g = g + r * columns + first, *const row_x = x + r * columns + first;
      each_vector(d, static_cast<std::size_t>(width),
                  [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
                    const auto h = load(row_g);
                    const auto away = hn::Sub(load(row_x), load(mean + first));
                    store(hn::Add(load(few), h), few);
                    store(hn::MulAdd(h, away, load(few_products)), few_products);
                  });
      if ((r + 1) % kFew != 0 && r + 1 < rows) continue;
      move_sums(few, sum + first, width);
      move_sums(few_products, product + first, width);
    }
  }
}

template <class T>
void grad(const T* g, const T* x, Index rows, Index columns, const T* mean, const T* middle,
          const T* factor, const T* slope, T* to) {
  const hn::ScalableTag<T> d;
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, static_cast<std::size_t>(columns),
                [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
                  const auto h =
                      hn::Mul(hn::Sub(load(g + r * columns), load(middle)), load(factor));
                  const auto away = hn::Sub(load(x + r * columns), load(mean));
                  store(hn::NegMulAdd(away, load(slope), h), to + r * columns);
                });
  }
}

HEED_SIMD_TABLE(standardize_columns, StandardizeColumns,
                {.moments = moments<T>, .forward = forward<T>, .sums = sums<T>, .grad = grad<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(standardize_columns, StandardizeColumns)

}  // namespace heed::kernels::simd
#endif
