// One axis of a window that slides over an input: output place o reads the input places
// o stride - padding + k dilation, k = 0 .. kernel - 1; those outside of [0, in) are padding.
#pragma once

#include "../../shape.h"

namespace heed::kernels {

struct WindowAxis {
  Index in = 1;
  Index kernel = 1;
  Index stride = 1;
  Index padding = 0;
  Index dilation = 1;
  Index out = 1;
};

}  // namespace heed::kernels
