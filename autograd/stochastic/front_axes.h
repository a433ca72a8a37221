// Lines up what belongs to draws with what belongs to costs: axes are aligned at the front.
#pragma once

#include "../tensor.h"

namespace heed {

/// x beside something of `shape`: axes of x behind its last are summed, missing ones are added with
/// size 1, and where `shape` has size 1 and x has not, x is summed. What comes out broadcasts to
/// `shape`. Throws ShapeError, in `op`'s name, where sizes differ and neither is 1.
Tensor line_up(const char* op, const Tensor& x, const Shape& shape);

}  // namespace heed
