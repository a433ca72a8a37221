// Picks along one axis (negative ones count from the end) by order. NaN counts as greater than any
// number, equal elements keep their order. Any dtype but where said; gradients go to the places
// picked, indices are i64 and get none.
#pragma once

#include <tuple>

#include "../../tensor.h"

namespace heed {

/// What was picked, and at which places of the axis it stood.
struct Picked {
  Tensor values;
  Tensor indices;

  /// std::tie(values, indices) = max(x, 1)
  operator std::tuple<Tensor&, Tensor&>() { return {values, indices}; }
};

/// Ascending, or `descending`; stable.
Picked sort(const Tensor& x, Index axis = -1, bool descending = false);
/// i64: the places in that order.
Tensor argsort(const Tensor& x, Index axis = -1, bool descending = false);

/// The k largest (smallest), best first; with `sorted` false in the order they stand in. Throws
/// ValueError unless k is in [0, size].
Picked topk(const Tensor& x, Index k, Index axis = -1, bool largest = true, bool sorted = true);

/// The largest, the smallest; the first of equals; NaN wins. Throw ShapeError over no elements.
Picked max(const Tensor& x, Index axis, bool keepdim = false);
Picked min(const Tensor& x, Index axis, bool keepdim = false);

/// Of all elements: rank 0, as amax() and amin().
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);
/// Of two, element by element: maximum() and minimum().
Tensor max(const Tensor& x, const Tensor& y);
Tensor min(const Tensor& x, const Tensor& y);

/// The lower of the two middle elements for an even count; the first NaN where there is one. Throws
/// ShapeError over no elements.
Picked median(const Tensor& x, Index axis, bool keepdim = false);
/// Of all elements: rank 0.
Tensor median(const Tensor& x);

}  // namespace heed
