// entmax over one axis, optionally masked, and its derivatives; sparsemax is alpha = 2, softmax
// alpha = 1. Written with d = alpha - 1 and a threshold c >= 0 below the row's largest x,
//
//   p = [1 - d (max x - x + c)]_+^(1/d),   c such that the row sums to 1,
//
// which is Peters 2019's [d x - tau]_+^(1/d) in a form that loses nothing as d goes to 0, where it
// is exp(x - max x - c). c is found in f64 by Newton's method on the row's 1/d-norm, guarded by
// bisection: to the last bits, and for alpha = 2 in as many steps as the exact algorithm. For d > 1
// the unknown is the logarithm of the largest p instead.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// `alpha` (x's dtype, at least 1) broadcasts to x's shape with `axis` of size 1. `mask` as for
/// softmax. A row with NaN or an infinite maximum becomes NaN. Throws DTypeError, ShapeError,
/// ValueError in the name of `op`.
Array entmax(const char* op, const Array& x, Index axis, const Array& alpha, const Array& mask);

struct EntmaxGradients {
  Array x;
  Array alpha;  ///< one a row: the axis has size 1
};
/// With s = p^(2 - alpha) on the support and e = g - sum(s g) / sum(s): gx = s e, and galpha sums
/// e dp/dalpha without its term along s, -p log^2(p) phi((1 - alpha) log p), phi(t) =
/// (exp(t) - 1 - t) / t^2 (Correia 2019, in a form that holds near alpha = 1).
EntmaxGradients entmax_grad(const Array& g, const Array& y, Index axis, const Array& alpha);

}  // namespace heed::kernels
