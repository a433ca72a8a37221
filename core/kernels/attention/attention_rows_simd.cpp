// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention/attention_rows_simd.cpp"
#include "attention_rows_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// No more than a tile's padding, whatever the instruction set.
template <class T>
using Lanes = hn::CappedTag<T, static_cast<std::size_t>(kTileLanes<T>)>;
template <class T>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Lanes<T>()));
}

// Sums of kRows rows by kColumns vectors stay in registers.
template <int kRows, int kColumns, class T>
HWY_INLINE void block(Index k, const T* HWY_RESTRICT a, Index a_row, Index a_column,
                      const T* HWY_RESTRICT b, Index b_step, bool add, T* HWY_RESTRICT c,
                      Index c_step) {
  const Lanes<T> d;
  const Index width = lanes<T>();
  hn::Vec<Lanes<T>> sum[kRows][kColumns];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int column = 0; column < kColumns; ++column) sum[row][column] = hn::Zero(d);
  }
  for (Index at = 0; at < k; ++at) {
    hn::Vec<Lanes<T>> right[kColumns];
#pragma GCC unroll 4
    for (int column = 0; column < kColumns; ++column)
      right[column] = hn::LoadU(d, b + column * width);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const auto left = hn::Set(d, a[row * a_row]);
#pragma GCC unroll 4
      for (int column = 0; column < kColumns; ++column) {
        sum[row][column] = hn::MulAdd(left, right[column], sum[row][column]);
      }
    }
    a += a_column;
    b += b_step;
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int column = 0; column < kColumns; ++column) {
      T* const to = c + row * c_step + column * width;
      const auto v = sum[row][column];
      hn::StoreU(add ? hn::Add(hn::LoadU(d, to), v) : v, d, to);
    }
  }
}

// As many rows at once as the registers take, then fewer.
template <int kRows, int kColumns, class T>
HWY_INLINE void blocks(Index m, Index k, const T* a, Index a_row, Index a_column, const T* b,
                       Index b_step, bool add, T* c, Index c_step) {
  for (; m >= kRows; m -= kRows) {
    block<kRows, kColumns>(k, a, a_row, a_column, b, b_step, add, c, c_step);
    a += kRows * a_row;
    c += kRows * c_step;
  }
  constexpr int kFewer = kRows > 8 ? 6 : kRows > 4 ? 4 : kRows / 2;
  if constexpr (kFewer > 0) {
    if (m > 0) blocks<kFewer, kColumns>(m, k, a, a_row, a_column, b, b_step, add, c, c_step);
  }
}

template <class T>
void multiply_tile(Index m, Index n, Index k, const T* a, Index a_row, Index a_column, const T* b,
                   Index b_step, bool add, T* c, Index c_step) {
  const Index width = lanes<T>();
  constexpr int kWide = HWY_TARGET <= HWY_AVX3 ? 4 : 2;  // columns that registers hold, of 32 or 16
  Index j = 0;
  for (; j + kWide * width <= n; j += kWide * width) {
    blocks<6, kWide>(m, k, a, a_row, a_column, b + j, b_step, add, c + j, c_step);
  }
  if constexpr (kWide == 4) {
    for (; j + 2 * width <= n; j += 2 * width) {
      blocks<12, 2>(m, k, a, a_row, a_column, b + j, b_step, add, c + j, c_step);
    }
  }
  for (; j < n; j += width) {
    blocks<12, 1>(m, k, a, a_row, a_column, b + j, b_step, add, c + j, c_step);
  }
}

// Gathers a column of `from`, which lies in the nearest cache.
template <class T>
void turn_tile(Index rows, Index columns, const T* from, Index from_step, T* to) {
  const Lanes<T> d;
  const hn::RebindToSigned<Lanes<T>> di;
  using I = hn::TFromD<decltype(di)>;
  const auto places = hn::Mul(hn::Iota(di, I{0}), hn::Set(di, static_cast<I>(from_step)));
  for (Index i = 0; i < rows; i += lanes<T>()) {
    for (Index j = 0; j < columns; ++j) {
      hn::StoreU(hn::GatherIndex(d, from + i * from_step + j, places), d, to + j * rows + i);
    }
  }
}

template <class T>
void scale_rows(Index rows, Index n, const T* from, Index from_step, const T* factors,
                Index factor_step, T* to, Index to_step, Index width) {
  const Lanes<T> d;
  for (Index row = 0; row < rows; ++row, from += from_step, to += to_step) {
    const auto factor = hn::Set(d, factors[row * factor_step]);
    Index i = 0;
    for (; i + lanes<T>() <= n; i += lanes<T>()) {
      hn::StoreU(hn::Mul(hn::LoadU(d, from + i), factor), d, to + i);
    }
    if (i < n) {
      const auto rest = hn::Mul(load_first(d, from + i, n - i), factor);
      if (i + lanes<T>() <= width) {
        hn::StoreU(rest, d, to + i);
        i += lanes<T>();
      } else {
        store_first(rest, d, to + i, n - i);
        i = n;
      }
    }
    for (; i < width; ++i) to[i] = T{0};
  }
}

// kRows queries against one key.
template <int kRows, class T>
HWY_INLINE void dots(Index n, const T* HWY_RESTRICT key, const T* HWY_RESTRICT queries,
                     Index query_step, T* HWY_RESTRICT to) {
  const Lanes<T> d;
  hn::Vec<Lanes<T>> sum[kRows];
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) sum[row] = hn::Zero(d);
  Index i = 0;
  for (; i + lanes<T>() <= n; i += lanes<T>()) {
    const auto right = hn::LoadU(d, key + i);
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      sum[row] = hn::MulAdd(hn::LoadU(d, queries + row * query_step + i), right, sum[row]);
    }
  }
  if (i < n) {
    const auto right = load_first(d, key + i, n - i);
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      sum[row] = hn::MulAdd(hn::LoadU(d, queries + row * query_step + i), right, sum[row]);
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) to[row] = hn::GetLane(hn::SumOfLanes(d, sum[row]));
}

template <class T>
void multiply_few(Index keys, Index rows, Index n, const T* k, Index k_step, const T* q,
                  Index q_step, T* s, Index s_step) {
  const Lanes<T> d;
  for (Index j = 0; j < keys; ++j, k += k_step, s += s_step) {
    for (Index i = 0; i < s_step; i += lanes<T>()) hn::StoreU(hn::Zero(d), d, s + i);
    switch (rows) {
      case 1: dots<1>(n, k, q, q_step, s); break;
      case 2: dots<2>(n, k, q, q_step, s); break;
      case 3: dots<3>(n, k, q, q_step, s); break;
      default: dots<4>(n, k, q, q_step, s); break;
    }
  }
}

template <class T>
void dot_rows(Index rows, Index n, const T* x, Index x_step, const T* y, Index y_step, T* to) {
  const Lanes<T> d;
  for (Index row = 0; row < rows; ++row, x += x_step, y += y_step) {
    auto sum = hn::Zero(d);
    Index i = 0;
    for (; i + lanes<T>() <= n; i += lanes<T>()) {
      sum = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum);
    }
    T total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; i < n; ++i) total += x[i] * y[i];
    to[row] = total;
  }
}

HEED_SIMD_TABLE(rows, RowKernels,
                {.multiply = multiply_tile<T>,
                 .multiply_few = multiply_few<T>,
                 .turn = turn_tile<T>,
                 .scale = scale_rows<T>,
                 .dot = dot_rows<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(rows, RowKernels)

}  // namespace heed::kernels::simd
#endif
