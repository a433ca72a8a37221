// Triangular systems. f32 and f64, one dtype (DTypeError).
#pragma once

#include "../../tensor.h"

namespace heed {

struct TriangularOptions {
  bool upper = false;  ///< else lower
  bool unit = false;   ///< the diagonal counts as ones, whatever stands there
};

/// The X of a X = b by substitution: a [.., n, n], b [.., n, m] -> [.., n, m], leading axes
/// broadcast. What lies on a's other side of the diagonal is never read. A zero on the diagonal
/// gives infinities. Throws ShapeError.
Tensor solve_triangular(const Tensor& a, const Tensor& b, const TriangularOptions& options = {});

}  // namespace heed
