// Reading and writing at places of several leading axes at once, as x[i, j] and x[mask] do in
// PyTorch. Each of `indices` is i64 and answers for one axis, in [-size, size), or bool and answers
// for as many axes as it has, of those sizes, at the places where it is true (without axes for one
// place, or none); all broadcast to one shape S. Indices get no gradient. All throw IndexError,
// DTypeError, ShapeError.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x at the places: S and the sizes of the axes not indexed. Any dtype.
Tensor index(const Tensor& x, const std::vector<Tensor>& indices);

/// x with `values` (broadcast) at the places; of a place named twice the last stays, and it alone
/// gets a gradient. With `accumulate` values are added instead, each time; f32 and f64.
Tensor index_put(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                 bool accumulate = false);

/// The elements where mask is true, in row-major order, rank 1; x and mask broadcast.
Tensor masked_select(const Tensor& x, const Tensor& mask);

/// i64 [n, rank]: places of the elements that are not 0, in row-major order; any dtype.
Tensor nonzero(const Tensor& x);

}  // namespace heed
