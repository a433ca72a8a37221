// Sparse Sinkhorn attention (Tay et al. 2020): the sequence is cut into blocks; each attends to
// itself and to one other, which a learned, soft permutation of blocks brings beside it:
//
//   R = sinkhorn(relu(s_n W1) W2),  s_n the sum of x over block n;
//       rows and columns are in turn made to sum up to 1
//   k' = R k, v' = R v, blocks of places
//   head of block n = softmax([q k^T, q k'^T] / sqrt(D)) [v; v']
//
// x [B, T, E], T <= N S in blocks of S -> context [B, T, E], weights [B, H, T, T]. Of fewer blocks
// than N the first columns are used. A place of k' counts where any block that it is mixed of has a
// real one. It looks both ways: no causal mask. O(T S E + (T / S)^2 S E), memory O(T S).
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct SinkhornOptions {
  Index width = 0;       ///< E
  Index heads = 1;       ///< H, a divisor of E
  Index block = 16;      ///< S
  Index max_blocks = 0;  ///< N
  Index hidden = 0;      ///< of W1; 0: E
  Index iterations = 5;  ///< of the normalisation
  DType dtype = DType::f32;
};

class Sinkhorn : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  explicit Sinkhorn(const SinkhornOptions& options);

 private:
  SinkhornOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;
  nn::Linear &sort_hidden, &sort_out;  ///< W1, W2

  /// Throws ShapeError, also for more than N blocks, DTypeError, ValueError for a cache, and as
  /// LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
