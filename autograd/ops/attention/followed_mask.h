// The mask of attention as operators make it, for one that traces: true where a query may attend.
#pragma once

#include "attention.h"

namespace heed {

/// bool, which broadcasts to `scores`, [.., Q, K]; undefined where `options` allow all. Throws
/// ValueError for segments and a rule, which no operators say.
Tensor followed_mask(const AttentionOptions& options, const Shape& scores);

}  // namespace heed
