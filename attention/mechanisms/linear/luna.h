// Luna (Ma et al. 2021, "Luna: linear unified nested attention"): attention to the sequence through
// l learned places, which pack it and are then unpacked:
//
//   Y_P = attend(P, X, X),  context = attend(X, Y_P, Y_P)
//
// P [l, E] is learned; both attend() are multi-head attention. x [B, T, E] -> context [B, T, E],
// weights [B, H, T, T], the products of those of both. It looks both ways: no causal mask, for
// which there is luna_causal.h. O(T l E), memory O(T).
//
// In a stack the pack goes up with the sequence, P of a layer being what the one below has packed
// (section 3.2):
//
//   P' = LayerNorm(Y_P + P)
//
//   const TransformerOptions options{.width = 64, .heads = 4, .self_attention =
//       luna_stack({.width = 64, .heads = 4, .length = 16, .layers = 3})};
//   TransformerEncoder stack(3, options);
//
// and only the first layer's P is learned. A Luna by itself has a P of its own.
#pragma once

#include <functional>
#include <memory>

#include "../../../nn/layer_norm.h"
#include "../transformer/multi_head.h"

namespace heed::attention {

struct LunaOptions {
  Index width = 0;   ///< E
  Index heads = 1;   ///< H
  Index length = 0;  ///< l
  Index layers = 0;  ///< of the stack, whose layers hand on the pack; 0: none does
  DType dtype = DType::f32;
};

class Luna : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  Luna(Index width, Index heads, Index length, DType dtype = DType::f32);
  /// The attention of layer 0 .. layers - 1 of a stack. Throws ValueError as above, and for another
  /// layer.
  Luna(const LunaOptions& options, Index layer);

 private:
  LunaOptions options_;
  Index layer_;

 public:
  Tensor& places;  ///< P [l, E]; undefined above the first layer
  MultiHead &pack, &unpack;
  nn::LayerNorm* pack_norm;  ///< of P'; null in the last layer, and without layers

  /// Above the first layer P [B, l, E] comes from below, terms.from_below, and P' goes on above.
  /// Throws ShapeError, DTypeError, ValueError for a cache and for another pack, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

/// TransformerOptions::self_attention of a stack.
std::function<std::shared_ptr<SelfAttention>(Index layer)> luna_stack(const LunaOptions& options);

}  // namespace heed::attention
