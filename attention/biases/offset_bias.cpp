#include "offset_bias.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/ops/attention/attention.h"
#include "../../core/error.h"

namespace heed::attention {

// The last query stands Q - 1 places after the first: its first key is the farthest behind.
Tensor OffsetBias::offsets(Index queries, Index keys, Index first) const {
  if (queries < 0 || keys < 0) {
    throw ShapeError(fmt::format("bias: {} queries and {} keys", queries, keys));
  }
  return by_offset(1 - queries - first, std::max<Index>(queries + keys - 1, 0));
}

Tensor OffsetBias::offsets(Index queries, Index keys) const {
  return offsets(queries, keys, keys - queries);
}

Tensor OffsetBias::at(Index queries, Index keys, Index first) const {
  return offset_block(offsets(queries, keys, first), queries, keys);
}

}  // namespace heed::attention
