// Every mechanism over fast weights by its name, small.
#pragma once

#include <memory>

#include "../../../../attention/mechanisms/linear/fast_weights_attention.h"
#include "../../../support/registry.h"

namespace heed::attention {

/// Of these options, in which K = 0 and V = 0 stand for E / H; cosFormer up to 32 steps.
/// Made at the first call: other files' constants are made of it.
const Registry<std::shared_ptr<FastWeightsAttention>, LinearOptions>& linear_makers();

}  // namespace heed::attention
