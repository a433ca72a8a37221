// A product over the panels of gemm_simd.h: both operands are laid out in panels, a slice of k at a
// time. The one with fewer lines is laid out first, for all; each tile then lays out its own lines
// of the other, which stay in the cache. Where the tiles would be few and the slices are many, as
// in a weight's gradient, threads take whole slices, whose products are then added in order. Slices
// come from k alone, so an element of the result has the same bits wherever it stands, whatever the
// other rows and columns are, and however many.
#pragma once

#include "gemm.h"

namespace heed::kernels {

/// As gemm(); `sums` [m], or null, gets the sums of A's rows, made while they are laid out. For
/// processors with simd::GemmKernels::panels, and m, n and k of at least 1.
template <class T>
void gemm_in_panels(Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, bool add,
                    const T* bias, T* c, Index c_step, double* sums);

}  // namespace heed::kernels
