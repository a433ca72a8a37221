// Operators that move elements and change none. Any dtype; most return views, which share memory
// with their input. Axes may be negative. All throw ShapeError for what does not fit.
#pragma once

#include "../tensor.h"

namespace heed {

/// The same elements in row-major order in another shape; one size may be -1. A view where strides
/// allow.
Tensor reshape(const Tensor& x, const Shape& shape);
/// Joins axes first .. last into one.
Tensor flatten(const Tensor& x, Index first = 0, Index last = -1);
/// Swaps two axes.
Tensor transpose(const Tensor& x, Index a, Index b);
/// Axis i of the result is axis axes[i] of x.
Tensor permute(const Tensor& x, const std::vector<Index>& axes);
/// Broadcasts to `shape`.
Tensor expand(const Tensor& x, const Shape& shape);
/// Elements start, start + step, ... before stop, as in Python. Throws ValueError unless step > 0.
Tensor slice(const Tensor& x, Index axis, Index start, Index stop, Index step = 1);
/// `length` places of an axis from `start`. Throws IndexError beyond the axis.
Tensor narrow(const Tensor& x, Index axis, Index start, Index length);
/// One place of an axis, which is dropped. Throws IndexError out of range.
Tensor select(const Tensor& x, Index axis, Index index);
Tensor squeeze(const Tensor& x, Index axis);
Tensor unsqueeze(const Tensor& x, Index axis);
/// Joins along an existing axis; all other sizes equal.
Tensor concat(const std::vector<Tensor>& xs, Index axis = 0);
/// Joins equal shapes along a new axis.
Tensor stack(const std::vector<Tensor>& xs, Index axis = 0);
/// Cuts an axis into pieces of these lengths, which must sum to it.
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& lengths, Index axis = 0);
/// Another dtype. Gradients pass between f32 and f64.
Tensor to(const Tensor& x, DType dtype);
/// Memory of its own.
Tensor clone(const Tensor& x);
/// Itself when its elements lie in row-major order, else a copy that does.
Tensor contiguous(const Tensor& x);

}  // namespace heed
