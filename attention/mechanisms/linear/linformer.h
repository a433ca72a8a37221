// Linformer (Wang et al. 2020, "Linformer: self-attention with linear complexity"): keys and values
// of T steps are projected to r rows, learned over the places:
//
//   head_h = softmax(q_h (E k_h)^T / sqrt(D)) F v_h,  context = [head_1 .. head_H] W^O
//
// E, F [r, L], of which the first T <= L columns are used, the same for all heads. x [B, T, E'] ->
// context [B, T, E'], weights [B, H, T, T] = softmax(..) F, of any sign. A masked key is a row of
// zeros. It looks both ways: no causal mask. O(T r E'), memory O(T r).
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct LinformerOptions {
  Index width = 0;       ///< E'
  Index heads = 1;       ///< H, a divisor of E'
  Index max_length = 0;  ///< L
  Index rank = 0;        ///< r
  DType dtype = DType::f32;
};

class Linformer : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  explicit Linformer(const LinformerOptions& options);

 private:
  LinformerOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;
  Tensor &key_rows, &value_rows;  ///< E, F [r, L]

  /// Throws ShapeError, also for more steps than L, DTypeError, ValueError for a cache, and as
  /// LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
