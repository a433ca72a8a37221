// Spatial attention (Xu et al. 2015; Lu et al. 2016): a question looks at an image, whose cells, or
// the boxes found in it, are keys and values. Any score; the parameters are its own.
//
//   grid   map [B, C, H, W] -> context [B, C], weights [B, H, W]
//   boxes  boxes [B, K, d]  -> context [B, d], weights [B, K]
//
// query [B, dq], or [B, Q, dq] for Q looks at once, which stand behind B in the results.
#pragma once

#include "../../attend.h"

namespace heed::attention {

/// `real`, bool broadcasting to [B, H, W]: the cells that may be looked at; undefined: all. The
/// terms' mask is over cells in rows, [.., Q, H W]. Throws ShapeError, DTypeError, ValueError.
Attended grid_attention(const Score& score, const Tensor& query, const Tensor& map,
                        const Terms& terms = {}, const Tensor& real = Tensor());

/// `real`, bool [B, K]: which boxes there are; undefined: all. Throws ShapeError, DTypeError,
/// ValueError.
Attended box_attention(const Score& score, const Tensor& query, const Tensor& boxes,
                       const Terms& terms = {}, const Tensor& real = Tensor());

}  // namespace heed::attention
