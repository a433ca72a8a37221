// softmax and log_softmax over one axis, optionally masked (true: takes part), and their
// derivatives. A masked place gets 0 (log: -infinity) whatever stands there; a row that is masked
// whole gets zeros.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// `mask` may be undefined; bool, broadcasts to x. Throws DTypeError, ShapeError.
Array softmax(const Array& x, Index axis, const Array& mask, bool log);

/// The gradient of x from the incoming gradient `g` and the result `y`, both of one shape.
Array softmax_grad(const Array& g, const Array& y, Index axis, bool log);

}  // namespace heed::kernels
