// Luna (Ma et al. 2021, "Luna: linear unified nested attention"): attention to the sequence through
// l learned places, which pack it and are then unpacked:
//
//   Y_P = attend(P, X, X),  context = attend(X, Y_P, Y_P)
//
// P [l, E] is learned; both attend() are multi-head attention. x [B, T, E] -> context [B, T, E],
// weights [B, H, T, T], the products of those of both. It looks both ways: no causal mask, for
// which there is luna_causal.h. O(T l E), memory O(T). In the paper a layer's Y_P is the next one's
// P; here each has its own.
#pragma once

#include "../transformer/multi_head.h"

namespace heed::attention {

class Luna : public SelfAttention {
 public:
  /// `length`: l. Throws ValueError unless sizes are positive and the heads divide the width.
  Luna(Index width, Index heads, Index length, DType dtype = DType::f32);

  Tensor& places;  ///< P [l, E]
  MultiHead &pack, &unpack;

  /// Throws ShapeError, DTypeError, ValueError for a cache, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
