#include "glu.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::nn {

GLU::GLU(Index axis) : axis_(axis) {
  if (axis < -kMaxRank || axis >= kMaxRank) {
    throw ValueError(fmt::format("GLU: axis {} is not in [{}, {})", axis, -kMaxRank, kMaxRank));
  }
}

}  // namespace heed::nn
