// Multi-head latent attention (MLA; DeepSeek-V2, 2024, section 2.1): keys and values of all heads
// are made of one small latent a token, which is all that a cache keeps, beside a key that carries
// the position.
//
//   c_t = norm(W_DKV x_t),  k^C_t,h = W_UK,h c_t,  v_t,h = W_UV,h c_t,  k^R_t = rotary(W_KR x_t)
//   q_t = norm(W_DQ x_t),   q^C_t,h = W_UQ,h q_t,  q^R_t,h = rotary(W_QR,h q_t)
//   e_ij,h = (q^C_i,h . k^C_j,h + q^R_i,h . k^R_j) / sqrt(D + R),   head_h = attend over v_h
//   y = W_O [head_1 .. head_H]
//
// x [B, T, E] -> [B, T, E], weights [B, H, T, T]. D is head_width, R rotary_width, Dv value_width;
// c has `latent` numbers, q `query_latent` (0: q is x itself, without a norm). norm is RMSNorm.
//
// The same two ways. Whole: keys and values of every head are made, as in training. Absorbed: since
// q^C . W_UK c = (W_UK^T q^C) . c, queries are taken to the latents, which are keys and values of
// all heads at once; W_UV follows the sums. So it decodes: a cache of `latent` + R numbers a token,
// in the place of H (D + R + Dv), at O(T H (latent + R)) a step.
#pragma once

#include "../../../nn/layer_norm.h"
#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../positions/rotary.h"
#include "self_attention.h"

namespace heed::attention {

struct LatentHeadsOptions {
  Index width = 0;  ///< E
  Index heads = 1;  ///< H
  Index latent = 0;
  Index query_latent = 0;
  Index head_width = 0;    ///< D
  Index rotary_width = 0;  ///< R, even; 0: no positions
  Index value_width = 0;   ///< Dv; 0: D
  double dropout = 0;      ///< of the weights, in training
  RotaryOptions rotary = {};
  DType dtype = DType::f32;
};

class LatentHeads : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive, an odd rotary_width, dropout outside [0,
  /// 1].
  explicit LatentHeads(const LatentHeadsOptions& options);

 private:
  LatentHeadsOptions options_;

 public:
  nn::Linear* query_down;  ///< W_DQ; null without query_latent
  nn::RMSNorm* query_norm;
  nn::Linear& query_up;  ///< W_UQ and W_QR, head by head [H (D + R), query_latent or E]
  nn::Linear& down;      ///< W_DKV and W_KR [latent + R, E]
  nn::RMSNorm& norm;
  Tensor& key_up;        ///< W_UK [H, D, latent]
  Tensor& value_up;      ///< W_UV [H, Dv, latent]
  nn::Linear& out_proj;  ///< W_O [E, H Dv]

  /// Whole; with a cache absorbed. Throws ShapeError, DTypeError, ValueError for positions in a
  /// rolling cache.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
  /// Absorbed, with or without a cache.
  Attended absorbed(const Tensor& x, const Terms& terms = {}, KeyValueCache* cache = nullptr) const;

 private:
  struct Parts {
    Tensor q_content, q_position;  // [B, H, T, D], [B, H, T, R]
    Tensor latents, k_position;    // [B, 1, T, latent], [B, 1, T, R]
  };
  Parts parts_of(const Tensor& x, bool masked, Index first) const;
  Attended finish(Attended heads, Index T) const;
};

}  // namespace heed::attention
