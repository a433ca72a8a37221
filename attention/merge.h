// The same queries over keys that were split: as if they had been attended to at once.
#pragma once

#include <vector>

#include "terms.h"

namespace heed::attention {

/// Of attentions over parts of the keys, each made with need_log_sums: context and log_sums of all
/// keys together, and weights, in the order of the parts, where each part has its own. A sink
/// belongs to one of the parts alone. Differentiable. Throws ValueError for no parts or one without
/// log_sums, ShapeError for parts that differ.
Attended merge(const std::vector<Attended>& parts);

}  // namespace heed::attention
