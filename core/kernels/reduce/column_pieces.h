// A matrix whose columns are summed up, read as it lies, a few rows of it at a time: such pieces are
// cut by shape alone, so that sums have the same bits for any number of threads. Internal to kernels.
#pragma once

#include <algorithm>

#include "../../array.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {

/// Rows in pieces that stay in cache.
struct ColumnPieces {
  Index rows, columns, height, count;

  ColumnPieces(Index r, Index c) : rows(r), columns(c) {
    constexpr Index kLowest = 16, kMost = 64;
    height = std::max({kLowest, 2 * kGrain / columns, (rows - 1) / kMost + 1});
    count = (rows - 1) / height + 1;
  }
  Index height_of(Index piece) const { return std::min(height, rows - piece * height); }

  /// body(piece, the offset of its first element, its rows)
  template <class Body>
  void each(const Body& body) const {
    parallel_for(count, 1, [&](Index begin, Index end) {
      for (Index p = begin; p < end; ++p) body(p, p * height * columns, height_of(p));
    });
  }
};

/// A pair of numbers for each column, from each piece: [count, 2, columns].
class ColumnParts {
 public:
  explicit ColumnParts(const ColumnPieces& pieces)
      : columns_(pieces.columns),
        numbers_(Array::empty(Shape{pieces.count, 2, pieces.columns}, DType::f64)) {}
  double* first(Index piece) { return numbers_.mutable_data<double>() + 2 * piece * columns_; }
  double* second(Index piece) { return first(piece) + columns_; }

 private:
  Index columns_;
  Array numbers_;
};

}  // namespace heed::kernels
