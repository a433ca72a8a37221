// Differential attention: what one softmax gives less a share of what another gives, so that what
// both spend on all keys alike cancels out.
//
//   v1 (Ye et al. 2025, "Differential Transformer", eq. 1 to 3)
//     head_h = (1 - l0) RMSNorm(A^1_h V_h - l A^2_h V_h),  A^m_h = softmax(Q^m_h K^m_h^T / sqrt(D))
//     l = exp(l_q1 . l_k1) - exp(l_q2 . l_k2) + l0,  l0 = 0.8 - 0.6 exp(-0.3 layer), layer 0 ..
//   v2 (Ye et al. 2026, "Differential Transformer V2")
//     head_h = A^1_h V_g - sigmoid(x W_l)_h A^2_h V_g,  A^m_h = softmax(Q^m_h K_g^T / sqrt(D))
//
// x [B, T, E] -> W_O [head_1 .. head_H], [B, T, E]; weights A^1 - l A^2 [B, H, T, T], which may be
// below 0. v1: two maps of width D for each of H heads, values of width 2 D; E = 2 H D in the
// paper. RMSNorm is over a head's 2 D features. v2: twice the queries of ordinary heads, H of them
// in pairs over kv_heads keys and values of width D; no norm, no l0; a share for each token and
// head. Both attentions of a pair run in tiles: O(2 T^2 H D).
#pragma once

#include <optional>

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../positions/rotary.h"
#include "self_attention.h"

namespace heed::attention {

enum class DifferentialKind : std::uint8_t { v1, v2 };

struct DifferentialHeadsOptions {
  DifferentialKind kind = DifferentialKind::v1;
  Index width = 0;       ///< E
  Index heads = 1;       ///< H
  Index head_width = 0;  ///< D; 0: E / (2 H) in v1, E / H in v2, which must divide
  Index kv_heads = 0;    ///< a divisor of H, v2 alone; 0: H
  Index layer = 0;       ///< of v1's l0
  bool rotary = false;   ///< positions of queries and keys
  RotaryOptions rotary_options = {};
  double dropout = 0;  ///< of the weights, in training
  DType dtype = DType::f32;
};

class DifferentialHeads : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive or do not divide, an odd D with rotary.
  explicit DifferentialHeads(const DifferentialHeadsOptions& options);

 private:
  DifferentialHeadsOptions options_;
  bool v1_;
  double begin_;  // l0

 public:
  nn::Linear& q_proj;             ///< [2 H D, E]
  nn::Linear &k_proj, &v_proj;    ///< [2 H D, E], of v2 [kv_heads D, E]
  Tensor &lambda_q1, &lambda_k1;  ///< [D], v1
  Tensor &lambda_q2, &lambda_k2;
  Tensor& norm;             ///< [2 D], v1
  nn::Linear* lambda_proj;  ///< W_l [H, E], v2; null in v1
  nn::Linear& out_proj;     ///< W_O, without a bias as all of them

  /// The share l, v1: [].
  Tensor lambda() const;

  /// Throws ShapeError, DTypeError; ValueError for terms that ask for statistics or log_sums, which
  /// a difference does not have, and for rotary positions in a rolling cache.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
