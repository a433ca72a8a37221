// One number for each of two axes, or the same for both: `.stride = 2`, `.padding = {1, 3}`.
#pragma once

#include "../../../core/shape.h"

namespace heed {

struct Pair {
  Index y, x;  ///< down (height), along (width)
  constexpr Pair(Index both) : y(both), x(both) {}
  constexpr Pair(Index down, Index along) : y(down), x(along) {}
};

}  // namespace heed
