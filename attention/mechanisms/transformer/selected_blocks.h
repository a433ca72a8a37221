// Attention of every query to blocks of keys of its own choice, and there to what does not come
// after it, for the heads of a group together (Yuan et al. 2025, section 3.3.2).
//
//   q [B, Hk, G, T, D], k [B, Hk, K, D], v [B, Hk, K, Dv], chosen i64 [B, Hk, T, n] -> context
//   [B, Hk, G, T, Dv]
//
// Block j has the places j size .. (j + 1) size - 1; of -1 in the place of a block there is none.
// Query t stands at the place K - T + t. Two ways that give the same numbers: by a mask, O(T K D),
// and by gathering the chosen blocks, O(T n size D), in chunks of queries that are made again for
// the gradient, so that what is gathered is never held for all.
#pragma once

#include "../../terms.h"

namespace heed::attention {

struct SelectedBlocks {
  Index size = 0;
  Tensor chosen;  ///< i64 [B, Hk, T, n]
  Tensor real;    ///< bool [B, K]: which keys there are; undefined: all
};

/// bool [B, Hk, T, K]: which keys each query sees.
Tensor seen_keys(const SelectedBlocks& blocks, Index K);
/// The definition; terms of dropout and weights.
Attended attend_by_mask(const Tensor& q, const Tensor& k, const Tensor& v,
                        const SelectedBlocks& blocks, const Terms& terms = {});
/// The context by gathering, `chunk` queries at a time. Terms of dropout.
Tensor attend_by_gathering(const Tensor& q, const Tensor& k, const Tensor& v,
                           const SelectedBlocks& blocks, const Terms& terms = {},
                           Index chunk = 128);
/// The context by the way that takes less: a gathered key costs some eight under a mask, and a
/// mask's keys are read once for all queries. Terms of dropout.
Tensor attend_to_blocks(const Tensor& q, const Tensor& k, const Tensor& v,
                        const SelectedBlocks& blocks, const Terms& terms = {});

}  // namespace heed::attention
