// Triangles of matrices. x [.., rows, columns], any dtype; what lies outside becomes 0, NaN or not.
// Throw ShapeError below rank 2.
#pragma once

#include "../../tensor.h"

namespace heed {

/// Elements on and below a diagonal: column - row <= diagonal.
Tensor tril(const Tensor& x, Index diagonal = 0);
/// Elements on and above a diagonal: column - row >= diagonal.
Tensor triu(const Tensor& x, Index diagonal = 0);

/// Of a matrix its diagonal, of a vector the matrix that has it there; any dtype. Throws ShapeError
/// for other ranks.
Tensor diag(const Tensor& x, Index offset = 0);
/// The sum of a matrix' diagonal. Throws ShapeError for other ranks.
Tensor trace(const Tensor& x);

}  // namespace heed
