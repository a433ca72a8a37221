// The derivative of a maximum or minimum over trailing axes, in one pass.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// x [rows.., n] contiguous, `top` and `g` as many elements as there are rows: g where x equals its
/// row's top, shared among equals; zeros elsewhere. f32 or f64; unchecked.
Array extreme_grad(const Array& x, const Array& top, const Array& g);

}  // namespace heed::kernels
