// What a layer of a stack has its experts do: they take the tokens that its mask shows to anybody.
#pragma once

#include "../../masks/mask.h"
#include "key_value_cache.h"
#include "mixture_of_experts.h"

namespace heed::attention {

/// x [B, T, E] -> [B, T, E]; where its tokens went becomes `routed`. They are the last of the keys
/// of `mask`, which stands over `heads` heads and, with a cache, also over the steps that it holds.
/// A token does not count that the mask's lengths, keys and tensor hide from every query (windows,
/// blocks, segments and rules hide one from some). Throws ShapeError where the mask does not fit.
Tensor by_experts(const MixtureOfExperts& mixture, const Tensor& x, const Mask& mask, Index heads,
                  const KeyValueCache* cache, Routed& routed);

}  // namespace heed::attention
