// Triangles of matrices. x [.., rows, columns], any dtype; what lies outside becomes 0, NaN or not.
// Throw ShapeError below rank 2.
#pragma once

#include "../tensor.h"

namespace heed {

/// Elements on and below a diagonal: column - row <= diagonal.
Tensor tril(const Tensor& x, Index diagonal = 0);
/// Elements on and above a diagonal: column - row >= diagonal.
Tensor triu(const Tensor& x, Index diagonal = 0);

}  // namespace heed
