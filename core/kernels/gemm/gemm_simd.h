// The pieces of a product in panels, after Goto and van de Geijn 2008 ("Anatomy of high-performance
// matrix multiplication"): both operands are laid out once in narrow panels, which all tiles of the
// result then read in order. Each element is summed in the order of k, whatever tile it falls in.
#pragma once

#include "gemm.h"

namespace heed::kernels::simd {

/// The longest sum for which a panel of B stays in the nearest cache.
inline constexpr Index kTileDepth = 384;

/// Rows in a panel of A and columns in a panel of B; of floats 0 where BLAS does better.
struct GemmPanels {
  Index rows, columns;
};
template <class T>
GemmPanels gemm_panels();

/// Rows begin .. end of a [.., k], k from `from` on, as panels: to[panel][depth][rows].
void gemm_pack_rows(Matrix<const float> a, Index begin, Index end, Index from, Index depth,
                    float* to);
void gemm_pack_rows(Matrix<const double> a, Index begin, Index end, Index from, Index depth,
                    double* to);
/// Columns begin .. end of b [k, ..]: to[panel][depth][columns].
void gemm_pack_columns(Matrix<const float> b, Index begin, Index end, Index from, Index depth,
                       float* to);
void gemm_pack_columns(Matrix<const double> b, Index begin, Index end, Index from, Index depth,
                       double* to);

/// sums [rows] = the sums over depth of packed panels of rows, or += with `add`.
void gemm_panel_sums(const float* panels, Index rows, Index depth, bool add, double* sums);
void gemm_panel_sums(const double* panels, Index rows, Index depth, bool add, double* sums);

/// c [rows, columns] = the product of packed panels, or += with `add`; `bias` [columns] or null is
/// added too.
void gemm_tile(Index rows, Index columns, Index depth, const float* a, const float* b, bool add,
               const float* bias, float* c, Index c_step);
void gemm_tile(Index rows, Index columns, Index depth, const double* a, const double* b, bool add,
               const double* bias, double* c, Index c_step);

}  // namespace heed::kernels::simd
