// A block of which only some rows (entries of the first axis) are held, the others being zero: the
// gradient of an embedding table, of which a batch uses a few thousand rows out of many.
#pragma once

#include "array.h"

namespace heed {

struct SparseRows {
  Array rows;    ///< i64 [n], ascending, each once
  Array values;  ///< [n, ...], floating, contiguous
  Shape shape;   ///< of the whole: [count, ...]

  /// Sums the entries of `values` [m, ...] that name the same row of `ids` (i64 [m], in [0,
  /// count)).
  static SparseRows gather(const Array& ids, const Array& values, Index count);

  DType dtype() const { return values.dtype(); }
  /// The whole, with its zeros.
  Array to_dense() const;
  /// to += this; `to` has the whole shape.
  void add_into(Array& to) const;
};

/// a + b, with the rows of either.
SparseRows operator+(const SparseRows& a, const SparseRows& b);

}  // namespace heed
