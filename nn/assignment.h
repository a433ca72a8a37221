// The assignment problem: rows get columns of their own, so that what it costs is least (Kuhn 1955,
// "The Hungarian Method"), by shortest augmenting paths (Jonker & Volgenant 1987):
//
//   minimise sum_i cost[i, column(i)]
//
// All of the fewer, rows or columns, are matched. O(n^2 m) for n of the fewer and m of the others.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::nn {

struct Assignment {
  std::vector<Index> rows, columns;  ///< pairs, rows ascending
  double cost = 0;                   ///< their sum
};

/// cost [N, M], f32 or f64. Throws ShapeError, DTypeError, ValueError for a cost that is not
/// finite.
Assignment assign(const Array& cost);

}  // namespace heed::nn
