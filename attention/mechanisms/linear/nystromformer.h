// Nystroemformer (Xiong et al. 2021, "Nystroemformer: a Nystroem-based algorithm for approximating
// self-attention"): softmax attention through m landmarks, the means of as many stretches of
// queries and of keys:
//
//   head_h = softmax(q kt^T) Z softmax(qt k^T) v,  over sqrt(D);  qt, kt [m, D] the landmarks
//   Z: the pseudo-inverse of A = softmax(qt kt^T),
//      by Z <- Z (13 I - A Z (15 I - A Z (7 I - A Z))) / 4
//      from Z = A^T / (the largest sum of a column)
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], near softmax's but of any sign. Masked
// keys are in no stretch; of fewer keys than landmarks, each is one. It looks both ways: no causal
// mask. O(T m E), memory O(T m). The paper adds a convolution of the values, which is not here.
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct NystromformerOptions {
  Index width = 0;       ///< E
  Index heads = 1;       ///< H, a divisor of E
  Index landmarks = 64;  ///< m
  Index iterations = 6;  ///< of the pseudo-inverse
  DType dtype = DType::f32;
};

class Nystromformer : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  explicit Nystromformer(const NystromformerOptions& options);

 private:
  NystromformerOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;

  /// Throws ShapeError, DTypeError, ValueError for a cache, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
