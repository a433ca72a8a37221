// Products, and passes over rows, of blocks of tiled attention that lie in the nearest caches. See
// attention_simd.h for what a tile is.
#pragma once

#include "attention_simd.h"

namespace heed::kernels::simd {

/// The most queries that RowKernels::multiply_few takes.
inline constexpr Index kFew = 4;

/// c [m, n] = a [m, k] b [k, n], or += with `add`. a's element (i, at) stands at
/// i a_row + at a_column; b and c have dense rows; n is a multiple of kTileLanes.
template <class T>
using Multiply = void (*)(Index m, Index n, Index k, const T* a, Index a_row, Index a_column,
                          const T* b, Index b_step, bool add, T* c, Index c_step);

template <class T>
struct RowKernels {
  Multiply<T> multiply;

  /// The scores of so few queries that turning them does not pay: s_ji = k_j . q_i for n-wide rows;
  /// those of q are padded with zeros to whole vectors.
  void (*multiply_few)(Index keys, Index rows, Index n, const T* k, Index k_step, const T* q,
                       Index q_step, T* s, Index s_step);

  /// to [columns, rows] = from [rows, columns] turned; rows is a multiple of kTileLanes.
  void (*turn)(Index rows, Index columns, const T* from, Index from_step, T* to);

  /// to_i = factors[i factor_step] from_i, n wide, with zeros up to `width`.
  void (*scale)(Index rows, Index n, const T* from, Index from_step, const T* factors,
                Index factor_step, T* to, Index to_step, Index width);

  /// to[i] = the sum of x_i y_i, n wide.
  void (*dot)(Index rows, Index n, const T* x, Index x_step, const T* y, Index y_step, T* to);
};
template <class T>
const RowKernels<T>& rows();  // f32, f64

}  // namespace heed::kernels::simd
