// Grouped queries: heads of queries that share heads of keys and values, as a view (Ainslie et al.
// 2023). Nothing is copied: the heads of a group stand on an axis of their own, over which keys and
// values broadcast.
#pragma once

#include "../../memory.h"

namespace heed::attention {

/// q [B, H, Q, D], memory of keys [B, kv_heads, K, D] -> context [B, H, Q, Dv], weights
/// [B, H, Q, K], or [B, H, Q, K, Dv] of a score for each feature; terms are of the H heads. Throws
/// ShapeError, DTypeError.
Attended attend_in_groups(const Tensor& q, const Memory& memory, const Terms& terms);

}  // namespace heed::attention
