// Operators that give the same elements another shape. Any dtype; most return views, which share
// memory with their input. Axes may be negative. All throw ShapeError for what does not fit.
#pragma once

#include "../../tensor.h"
#include "join.h"
#include "slicing.h"

namespace heed {

/// The same elements in row-major order in another shape; one size may be -1. A view where strides
/// allow.
Tensor reshape(const Tensor& x, const Shape& shape);
/// reshape() that never copies. Throws ShapeError where the strides of x do not allow a view.
Tensor view(const Tensor& x, const Shape& shape);
/// Joins axes first .. last into one.
Tensor flatten(const Tensor& x, Index first = 0, Index last = -1);
/// Swaps two axes.
Tensor transpose(const Tensor& x, Index a, Index b);
/// The two axes of a matrix swapped; a vector stays. Throws ShapeError above rank 2.
Tensor t(const Tensor& x);
/// Axis i of the result is axis axes[i] of x.
Tensor permute(const Tensor& x, const std::vector<Index>& axes);
/// Broadcasts to `shape`; a size of -1 stays as it is. broadcast_to() takes no -1.
Tensor expand(const Tensor& x, const Shape& shape);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// Drops an axis of size 1, several, all of them; axes of other sizes stay.
Tensor squeeze(const Tensor& x, Index axis);
Tensor squeeze(const Tensor& x, const std::vector<Index>& axes);
Tensor squeeze(const Tensor& x);
/// A new axis of size 1 before `axis`.
Tensor unsqueeze(const Tensor& x, Index axis);
/// Another dtype. Gradients pass between f32 and f64.
Tensor to(const Tensor& x, DType dtype);
/// Memory of its own.
Tensor clone(const Tensor& x);
/// Itself when its elements lie in row-major order, else a copy that does.
Tensor contiguous(const Tensor& x);

namespace detail {
/// `shape` with its `axis` cut into `sizes`, of which one may be -1. Throws ShapeError in `op`'s
/// name unless they make the axis'.
Shape unflattened(const char* op, const Shape& shape, Index axis, const Shape& sizes);
}  // namespace detail

}  // namespace heed
