// The attention free Transformer with learned positions (Zhai et al. 2021, "An attention free
// Transformer", AFT-full; AFT-local where there is a window):
//
//   y_t = sigmoid(q_t) o sum_s exp(k_s + w_ts) o v_s / sum_s exp(k_s + w_ts),  context = y W^O
//
// over all s, or s <= t under a causal mask. w_ts is learned, one number for a pair of places and
// all features: w [L, L], or u_t . c_s of `rank` numbers each (the paper's v is c here). With a
// window (the paper's s) w_ts is 0 unless |t - s| < window, and all other steps are seen all the
// same. Where w is 0 it is AFT-simple: attention_free.h.
//
// x [B, T, E], T <= L -> context [B, T, E], weights [B, E, T, T], one for each feature. By its
// definition it is attention of E heads that are one feature wide, whose query is 1: any terms over
// such scores, O(T^2 E) weights in tiles. With no terms but a mask that is causal, of lengths or
// both it goes by products of matrices (attention_free_sums.h), O(T^2 E) multiplications but
// O(T^2 + T E log T) exponentials; causal with a window O(T (window + block) E), linear in T. A
// cache holds keys and values of the steps before: a step costs O(T E).
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct AttentionFreeFullOptions {
  Index width = 0;       ///< E
  Index max_length = 0;  ///< L
  Index window = 0;      ///< of AFT-local; 0: none, AFT-full
  Index rank = 0;        ///< of the factors of w; 0: w itself
  Index block = 32;      ///< steps that causal sums take in tiles
  DType dtype = DType::f32;
};

class AttentionFreeFull : public SelfAttention {
 public:
  /// w is 0 at first, factors are drawn with a deviation of 0.1. Throws ValueError for a width, a
  /// length and a block that are not positive, a window and a rank that are negative.
  explicit AttentionFreeFull(const AttentionFreeFullOptions& options);

 private:
  AttentionFreeFullOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;  ///< without biases
  /// w [L, L]; with a window [L, 2 window - 1], of the places t - window + 1 .. t + window - 1.
  /// Undefined with factors.
  Tensor& place_biases;
  Tensor &query_factors, &key_factors;  ///< u, c [L, rank]; undefined without

  /// w [queries, keys] of places from `query` and `key` on.
  Tensor biases(Index query, Index queries, Index key, Index keys) const;

  /// Throws ShapeError, also for more than L steps, DTypeError, ValueError for a rolling cache, and
  /// as attend().
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;

 private:
  Attended by_sums(const Tensor& k, const Tensor& v, const Tensor& w, const Mask& mask) const;
};

}  // namespace heed::attention
