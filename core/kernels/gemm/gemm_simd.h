// The pieces of a product in panels, after Goto and van de Geijn 2008 ("Anatomy of high-performance
// matrix multiplication"): both operands are laid out once in narrow panels, which all tiles of the
// result then read in order. Each element is summed in the order of k, whatever tile it falls in.
#pragma once

#include "gemm.h"

namespace heed::kernels::simd {

/// The longest sum for which a panel of B stays in the nearest cache.
inline constexpr Index kTileDepth = 384;

/// Bytes of B's panels that are gone through again and again for panels of A: what the second cache
/// has room for beside all else.
Index bytes_near();

/// Rows in a panel of A and columns in a panel of B; of floats 0 where BLAS does better.
struct GemmPanels {
  Index rows, columns;
};

template <class T>
struct GemmKernels {
  GemmPanels panels;

  /// Rows begin .. end of a [.., k], k from `from` on, as panels: to[panel][depth][rows], a place
  /// of which has the elements of `each` successive k.
  void (*pack_rows)(Matrix<const T> a, Index begin, Index end, Index from, Index depth, T* to);
  /// Columns begin .. end of b [k, ..]: to[panel][depth][columns].
  void (*pack_columns)(Matrix<const T> b, Index begin, Index end, Index from, Index depth, T* to);

  /// sums [rows] = the sums over depth of packed panels of rows, or += with `add`.
  void (*panel_sums)(const T* panels, Index rows, Index depth, bool add, double* sums);

  /// c [rows, columns] = the product of packed panels, or += with `add`; `bias` [columns] or null
  /// is added too.
  void (*tile)(Index rows, Index columns, Index depth, const T* a, const T* b, bool add,
               const T* bias, T* c, Index c_step);

  /// Successive k in one place of a panel; the last place may have fewer.
  Index each = 1;
};
template <class T>
const GemmKernels<T>& gemm();  // f32, f64

}  // namespace heed::kernels::simd
