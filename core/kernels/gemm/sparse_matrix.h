// A matrix of which few numbers in each row are not zero, and its product with a dense one: the
// time is that of the numbers held.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// Written once, row after row.
class SparseMatrix {
 public:
  /// Of no rows.
  SparseMatrix() : SparseMatrix(0, 0, 0) {}
  /// All rows are empty until they are written; they hold at most `capacity` numbers. Sizes are
  /// not negative.
  SparseMatrix(Index rows, Index columns, Index capacity);

  /// Puts a number into the row that is being written, which end_row() ends; no more than fit, at
  /// places within [0, columns). Numbers at one place are summed.
  void add(Index place, double value) {
    place_[held_] = place;
    value_[held_++] = value;
  }
  void end_row() { begin_[++written_] = held_; }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index held() const { return held_; }
  /// Row r, when written, holds values()[i] at places()[i], i = begins()[r] .. begins()[r + 1] - 1.
  const Index* begins() const { return begin_; }
  const Index* places() const { return place_; }
  const double* values() const { return value_; }

  /// The rows as columns, in each row in the order of this one's, all of which are written.
  SparseMatrix transposed() const;

 private:
  Index rows_, columns_, held_ = 0, written_ = 0;
  Array begins_, places_, values_;  // own what follows
  Index* begin_;
  Index* place_;
  double* value_;
};

/// a [m, k], all written, times b [k, n], f32 or f64 -> [m, n]. Each row is summed in its own
/// order: the same bits for any number of threads. Throws ShapeError, DTypeError.
Array matmul(const SparseMatrix& a, const Array& b);

}  // namespace heed::kernels
