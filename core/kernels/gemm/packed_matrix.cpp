// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/packed_matrix.cpp"
#include "packed_matrix.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../../parallel.h"
#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, static_cast<std::size_t>(PackedMatrix<T>::kPanel)>;
template <class T>
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Lanes<T>()));
template <class T>
constexpr int kEach = static_cast<int>(PackedMatrix<T>::kPanel / kLanes<T>);  // vectors of a panel
template <class T>
constexpr int kTall = kEach<T> == 1   ? 8
                      : kEach<T> == 2 ? 6
                                      : 2;  // rows beside a panel

// Sums of kRows rows by kColumns vectors stay in registers: 8 to 24 of them, enough to hide how
// long one takes.
// `width` columns count, all unless kPartial.
template <class T, int kRows, int kColumns, bool kPartial>
HWY_INLINE void tile(Index k, const T* HWY_RESTRICT a, Index a_step, const T* HWY_RESTRICT panels,
                     bool add, T* HWY_RESTRICT c, Index c_step, Index width) {
  const Lanes<T> d;
  constexpr Index kWidth = kLanes<T>;
  hn::Vec<Lanes<T>> sum[kRows][kColumns];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) sum[row][column] = hn::Zero(d);
  }
  const Index panel_size = k * PackedMatrix<T>::kPanel;
  for (Index at = 0; at < k; ++at) {
    hn::Vec<Lanes<T>> b[kColumns];
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      b[column] = hn::Load(d, panels + (column / kEach<T>)*panel_size +
                                  at * PackedMatrix<T>::kPanel + (column % kEach<T>)*kWidth);
    }
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const auto factor = hn::Set(d, a[row * a_step + at]);
#pragma GCC unroll 16
      for (int column = 0; column < kColumns; ++column) {
        sum[row][column] = hn::MulAdd(factor, b[column], sum[row][column]);
      }
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      T* const to = c + row * c_step + column * kWidth;
      const auto v = sum[row][column];
      if (kPartial && column + 1 == kColumns) {
        const Index left = width - column * kWidth;
        store_first(add ? hn::Add(load_first(d, to, left), v) : v, d, to, left);
      } else {
        hn::StoreU(add ? hn::Add(hn::LoadU(d, to), v) : v, d, to);
      }
    }
  }
}

// As many rows at once as the registers take, then fewer.
template <class T, int kRows, int kColumns, bool kPartial = false>
HWY_INLINE void rows(Index m, Index k, const T* a, Index a_step, const T* panels, bool add, T* c,
                     Index c_step, Index width = 0) {
  Index row = 0;
  for (; row + kRows <= m; row += kRows) {
    tile<T, kRows, kColumns, kPartial>(k, a + row * a_step, a_step, panels, add, c + row * c_step,
                                       c_step, width);
  }
  if constexpr (kRows > 1) {
    constexpr int kFewer = kRows > 4 ? 4 : kRows / 2;
    rows<T, kFewer, kColumns, kPartial>(m - row, k, a + row * a_step, a_step, panels, add,
                                        c + row * c_step, c_step, width);
  }
}

// The last columns, less than a panel: of its vectors those that hold some.
template <class T, int kColumns = 1>
HWY_INLINE void last_columns(Index m, Index k, const T* a, Index a_step, const T* panel, bool add,
                             T* c, Index c_step, Index width) {
  if constexpr (kColumns < kEach<T>) {
    if (width > kColumns * kLanes<T>) {
      return last_columns<T, kColumns + 1>(m, k, a, a_step, panel, add, c, c_step, width);
    }
  }
  rows<T, kColumns == 1 ? 8 : kTall<T>, kColumns, true>(m, k, a, a_step, panel, add, c, c_step,
                                                        width);
}

// All rows for a few neighbouring panels, which then lie in the nearest cache.
template <class T>
void multiply(Index m, Index n, Index k, const T* a, Index a_step, const T* panels, bool add, T* c,
              Index c_step) {
  constexpr Index kPanel = PackedMatrix<T>::kPanel;
  Index j = 0;
  if constexpr (kEach<T> == 1) {
    for (; n - j > 3 * kPanel || n - j == 2 * kPanel; j += 2 * kPanel) {
      rows<T, kTall<T>, 2>(m, k, a, a_step, panels + j * k, add, c + j, c_step);
    }
    // One alone would read more than it multiplies.
    if (n - j > 2 * kPanel) {
      return rows<T, kTall<T>, 3, true>(m, k, a, a_step, panels + j * k, add, c + j, c_step, n - j);
    }
  }
  for (; j + kPanel <= n; j += kPanel) {
    rows<T, kTall<T>, kEach<T>>(m, k, a, a_step, panels + j * k, add, c + j, c_step);
  }
  if (j < n) last_columns(m, k, a, a_step, panels + j * k, add, c + j, c_step, n - j);
}

HEED_SIMD_TABLE(packed, PackedKernels, {multiply<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace simd {

HEED_SIMD_DISPATCH(packed, PackedKernels)

}  // namespace simd

template <class T>
PackedMatrix<T>::PackedMatrix(Index k, Index n, Matrix<const T> b)
    : k_(k),
      n_(n),
      panels_(Array::empty(Shape{(n + kPanel - 1) / kPanel, k, kPanel}, dtype_of<T>)) {
  T* const panels = panels_.mutable_data<T>();
  const Index grain = std::max<Index>(1, 16384 / std::max<Index>(1, k * kPanel));
  parallel_for(panels_.size(0), grain, [&](Index begin, Index end) {
    for (Index j = begin * kPanel; j < end * kPanel; j += kPanel) {
      T* const to = panels + j * k;
      const Index width = std::min(kPanel, n - j);
      if (width < kPanel) std::fill_n(to, k * kPanel, T{0});
      for (Index outer = 0; outer < (b.transposed ? width : k); ++outer) {
        const T* from = b.data + (b.transposed ? j + outer : outer) * b.step;
        if (b.transposed) {
          for (Index at = 0; at < k; ++at) to[at * kPanel + outer] = from[at];
        } else {
          std::copy_n(from + j, width, to + outer * kPanel);
        }
      }
    }
  });
}

template <class T>
void PackedMatrix<T>::multiply(Index m, const T* a, Index a_step, bool add, T* c,
                               Index c_step) const {
  simd::packed<T>().multiply(m, n_, k_, a, a_step, panels_.data<T>(), add, c, c_step);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace heed::kernels
#endif
