// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/normalise/standardize_columns_simd.cpp"
#include "standardize_columns_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../elementwise/each_vector_simd-inl.h"
#include "../reduce/long_sum_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  T few[kStripColumns] = {}, few_products[kStripColumns] = {};
  for (Index first = 0; first < columns; first += kStripColumns) {
    const Index width = std::min(kStripColumns, columns - first);
    for (Index r = 0; r < rows; ++r) {
      const T *const row_g = g + r * columns + first, *const row_x = x + r * columns + first;
      each_vector(d, static_cast<std::size_t>(width),
                  [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
                    const auto h = load(row_g);
                    const auto away = hn::Sub(load(row_x), load(mean + first));
                    store(hn::Add(load(few), h), few);
                    store(hn::MulAdd(h, away, load(few_products)), few_products);
                  });
      if ((r + 1) % kFewRows != 0 && r + 1 < rows) continue;
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
                {.forward = forward<T>, .sums = sums<T>, .grad = grad<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(standardize_columns, StandardizeColumns)

}  // namespace heed::kernels::simd
#endif
