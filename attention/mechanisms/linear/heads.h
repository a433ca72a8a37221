// Heads of x, and what mechanisms that look both ways refuse.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

class KeyValueCache;

/// [B, T, H D] -> [B, H, T, D], and back.
Tensor split_heads(const Tensor& x, Index heads);
Tensor join_heads(const Tensor& x);

/// `heads`; throws ValueError, which names `op`, unless both are positive and they divide the
/// width.
Index checked_heads(const char* op, Index width, Index heads);
/// Throws ValueError, which names `op`, for a cache.
void refuse_cache(const char* op, const KeyValueCache* cache);

}  // namespace heed::attention
