// What the kernels that normalise along one axis share: that axis laid last, a mask laid beside it,
// and the rows handed out to threads.
#pragma once

#include <algorithm>

#include "../../array.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {

/// x with `axis` last, contiguous; with_axis_back() undoes it.
inline Array with_axis_last(const Array& x, Index axis) {
  return x.transpose(axis, -1).contiguous();
}
inline Array with_axis_back(const Array& rows, Index axis) {
  return rows.transpose(axis, -1).contiguous();
}

/// `mask` (bool, broadcasts to x) as x's rows lie, undefined where the mask is. Throws DTypeError,
/// ShapeError.
Array mask_rows(const char* op, const Array& mask, const Array& x, Index axis);

/// Calls body(begin, end) for pieces of `rows` rows; `cost` is the work of one element in multiples
/// of an addition.
template <class Body>
void each_rows(Index rows, Index size, Index cost, const Body& body) {
  const Index row_cost = std::max<Index>(cost * size, 1);
  const bool alone = rows <= kAlone / row_cost;
  parallel_for(rows, alone ? rows : std::max<Index>(1, kGrain / row_cost), body);
}

}  // namespace heed::kernels
