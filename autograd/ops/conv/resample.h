// Numbers met at places along an axis: what interpolate() and Resize of ONNX are made of. Internal.
#pragma once

#include <functional>

#include "../../tensor.h"

namespace heed::detail {

/// `out` numbers along `axis` of x in the place of its own, number i at place_of(i), which is held to
/// those that x has: the one at or before it, or with `linear` between the two around. Asks for all
/// its memory before it looks at a place.
Tensor resampled(const Tensor& x, Index axis, Index out,
                 const std::function<double(Index)>& place_of, bool linear);

}  // namespace heed::detail
