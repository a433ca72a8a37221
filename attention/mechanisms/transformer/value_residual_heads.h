// Value residual learning, ResFormer (Zhou et al. 2024, "Value Residual Learning"): the layers of a
// stack mix the first layer's values into their own, so that what a token is at the beginning is at
// hand however far up.
//
//   V'_n = l1 V_n + l2 V_1 for n > 1, V'_1 = V_1;  head_h = attend(x W_h^Q, x W_h^K, V'_n,h)
//
// l1, l2 are learned, at first 1/2 each, as the paper fixes them. With `single` V'_n = V_1, and no
// layer but the first has values of its own: SVFormer, whose upper layers have nothing of values to
// project. x [B, T, E] -> [B, T, E], weights [B, H, T, T]; O(T^2 E) in tiles. A cache holds the
// mixed values.
//
//   const TransformerOptions options{.width = 64, .heads = 4, .self_attention =
//       value_residual({.width = 64, .heads = 4, .layers = 3})};
//   TransformerEncoder stack(3, options);
#pragma once

#include <functional>
#include <memory>

#include "../../../nn/linear.h"
#include "../../positions/rotary.h"
#include "self_attention.h"

namespace heed::attention {

struct ValueResidualOptions {
  Index width = 0;       ///< E
  Index heads = 1;       ///< H
  Index head_width = 0;  ///< D; 0: E / H, which must divide
  Index layers = 0;      ///< of the stack
  bool single = false;   ///< the first layer's values alone
  bool rotary = false;
  RotaryOptions rotary_options = {};
  double dropout = 0;  ///< of the weights, in training
  DType dtype = DType::f32;
};

class ValueResidualHeads : public SelfAttention {
 public:
  /// The heads of layer 0 .. layers - 1 of a stack. Throws ValueError for sizes that are not
  /// positive or do not divide, an odd D with rotary, dropout outside [0, 1].
  ValueResidualHeads(const ValueResidualOptions& options, Index layer);

 private:
  ValueResidualOptions options_;
  Index layer_;

 public:
  nn::Linear &q_proj, &k_proj;  ///< [H D, E], without biases
  nn::Linear* v_proj;           ///< null above the first layer of `single`
  Tensor& mix;                  ///< l1, l2 [2]; undefined in the first layer and of `single`
  nn::Linear& out_proj;         ///< [E, H D]

  /// The first layer's values [B, H, T, D] come from below and go on above: as a stack does it, or
  /// by hand,
  ///
  ///   terms.from_below = low(x, terms).for_above;
  ///
  /// Throws ShapeError, DTypeError, ValueError where they are not those of as many tokens.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

/// TransformerOptions::self_attention of a stack.
std::function<std::shared_ptr<SelfAttention>(Index layer)> value_residual(
    const ValueResidualOptions& options);

}  // namespace heed::attention
