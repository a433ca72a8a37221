// The Routing Transformer's attention (Roy et al. 2021, "Efficient content-based sparse attention
// with Routing Transformers"): queries are keys, and each attends to those nearest to the same
// centroid:
//
//   q = layer norm of x W^QK, without weights, k = q,  c(i) = argmax_c mu_c . q_i
//   head_i = softmax over {j: c(j) = c(i)} of (q_i . k_j / sqrt(D)) v_j
//   mu_c <- lambda mu_c + (1 - lambda) mean of the q_i with c(i) = c     by refit(), between steps
//
// A place attends to itself only where there is nothing else. x [B, T, E] -> context [B, T, E],
// weights [B, H, T, T]. Places are sorted by centroid, and what lies at others is skipped: about
// O(T^2 D / C), memory O(T). The paper gives every centroid as many places, its nearest, which lets
// what comes later decide what is seen; here each place has its nearest centroid, and causal is
// causal.
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct RoutingOptions {
  Index width = 0;      ///< E
  Index heads = 1;      ///< H, a divisor of E
  Index centroids = 8;  ///< C
  DType dtype = DType::f32;
};

class Routing : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  explicit Routing(const RoutingOptions& options);

 private:
  RoutingOptions options_;

 public:
  nn::Linear &qk_proj, &v_proj, &out_proj;
  Tensor& centroids;  ///< mu [H, C, D], a buffer

  /// Moves the centroids towards the means of what is nearest to them in x [B, T, E]. Throws
  /// ShapeError, DTypeError, ValueError unless the decay is in [0, 1].
  void refit(const Tensor& x, double decay = 0.999);
  /// Masks are causal ones and those of keys; a masked place sees nothing itself. Throws
  /// ShapeError, DTypeError, ValueError for a cache, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;

 private:
  Tensor queries(const Tensor& x) const;  // [B, H, T, D]
  Tensor nearest(const Tensor& q) const;  // i64 [B, H, T]
};

}  // namespace heed::attention
