// Joining tensors along an axis, and cutting them apart again. Any dtype; pieces are views. All
// throw ShapeError for what does not fit.
#pragma once

#include "../../tensor.h"

namespace heed {

/// Joins along an existing axis; all other sizes equal.
Tensor concat(const std::vector<Tensor>& xs, Index axis = 0);
/// Joins equal shapes along a new axis.
Tensor stack(const std::vector<Tensor>& xs, Index axis = 0);
/// Cuts an axis into pieces of these lengths, which must sum to it.
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& lengths, Index axis = 0);
/// Pieces of one length, the last of what remains. Throws ValueError unless it is positive.
std::vector<Tensor> split(const Tensor& x, Index length, Index axis = 0);
/// At most `count` pieces of one length, the last of what remains. Throws ValueError unless
/// positive.
std::vector<Tensor> chunk(const Tensor& x, Index count, Index axis = 0);

/// The places of an axis, which is dropped, one tensor each.
std::vector<Tensor> unbind(const Tensor& x, Index axis = 0);

/// concat() by PyTorch's shorter name.
inline Tensor cat(const std::vector<Tensor>& xs, Index axis = 0) { return concat(xs, axis); }

}  // namespace heed
