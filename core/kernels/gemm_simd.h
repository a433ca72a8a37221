// The pieces of a large product of floats, after Goto and van de Geijn 2008 ("Anatomy of
// high-performance matrix multiplication"): both operands are laid out once in narrow panels, which
// all tiles of the result then read in order. Each element is summed in the order of k, whatever
// tile it falls in.
#pragma once

#include "gemm.h"

namespace heed::kernels::simd {

/// What is worth calling a tile: a multiple of every instruction set's panels, and a length of
/// sums for which a panel of B stays in the nearest cache.
inline constexpr Index kTileDepth = 384;

/// Rows in a panel of A and columns in a panel of B; 0 where BLAS does better.
struct GemmPanels {
  Index rows, columns;
};
GemmPanels gemm_panels();

/// Rows begin .. end of a [.., k], k from `from` on, as panels: to[panel][depth][rows].
void gemm_pack_rows(Matrix<const float> a, Index begin, Index end, Index from, Index depth,
                    float* to);
/// Columns begin .. end of b [k, ..]: to[panel][depth][columns].
void gemm_pack_columns(Matrix<const float> b, Index begin, Index end, Index from, Index depth,
                       float* to);

/// sums [rows] = the sums over depth of packed panels of rows, or += with `add`.
void gemm_panel_sums(const float* panels, Index rows, Index depth, bool add, float* sums);

/// c [rows, columns] = the product of packed panels, or += with `add`; `bias` [columns] or null is
/// added too.
void gemm_tile(Index rows, Index columns, Index depth, const float* a, const float* b, bool add,
               const float* bias, float* c, Index c_step);

}  // namespace heed::kernels::simd
