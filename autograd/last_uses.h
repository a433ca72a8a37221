// When a pass backward is done with a leaf. Internal to the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "node.h"

namespace heed::detail {

/// No operator older than `order` adds to the leaf's gradient.
struct LastUse {
  std::uint64_t order;
  TensorImpl* leaf;
};

/// Of all leaves that are reached from `roots`, those first whose use ends first. What a checkpoint
/// reaches besides its inputs is not known before it runs: where there are any, nothing is done
/// with before the oldest of them, and leaves that only such a one reaches are not listed.
std::vector<LastUse> last_uses(const std::vector<Ref<TapeNode>>& roots);

}  // namespace heed::detail
