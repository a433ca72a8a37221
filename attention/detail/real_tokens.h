// Which tokens of a batch are any, as a stack's mask has it: for what counts tokens, as experts do.
#pragma once

#include "../masks/mask.h"

namespace heed::attention {

/// bool [B, T], of the last T of K keys by `scores` [B, H, T, K]: whether some query may see it by
/// the mask's lengths, keys and tensor (windows, blocks, segments and rules hide a token from some
/// queries, not from all); undefined: all. Throws ShapeError where the mask does not fit.
Tensor real_tokens(const Mask& mask, const Shape& scores);

}  // namespace heed::attention
