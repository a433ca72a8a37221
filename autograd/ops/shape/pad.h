// Padding. `pads` says how many places come before and after each axis, from the last axis on, as
// in torch.nn.functional.pad: {left, right} or {left, right, top, bottom}. Negative numbers crop.
// Any dtype. Throws ShapeError for an odd number of pads, more than two an axis, or sizes below 0.
#pragma once

#include <cstdint>

#include "../../tensor.h"

namespace heed {

enum class PadMode : std::uint8_t {
  constant,   // v v | a b c | v v
  reflect,    // c b | a b c | b a; fewer places than the axis has
  replicate,  // a a | a b c | c c
};

/// `value` (cast to the dtype) is what PadMode::constant puts in.
Tensor pad(const Tensor& x, const std::vector<Index>& pads, PadMode mode = PadMode::constant,
           Scalar value = 0);

}  // namespace heed
