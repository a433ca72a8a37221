// One number for each of two axes, or the same for both: `.stride = 2`, `.padding = {1, 3}`.
#pragma once

#include "../../../core/shape.h"

namespace heed {

struct PerAxis {
  Index y, x;  ///< down (height), along (width)
  constexpr PerAxis(Index both) : y(both), x(both) {}
  constexpr PerAxis(Index down, Index along) : y(down), x(along) {}
};

}  // namespace heed
