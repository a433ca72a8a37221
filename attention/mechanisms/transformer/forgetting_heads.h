// Forgetting attention (Lin et al. 2025, "Forgetting Transformer: Softmax Attention with a Forget
// Gate"): what lies behind a token that says so counts for less, by a gate of each head and token.
//
//   f_t = sigmoid(w_f . x_t + b_f)
//   e_ij = q_i . k_j / sqrt(D) + sum_{l = j+1 .. i} log f_l,   j <= i
//
// x [B, T, E] -> [B, T, E], weights [B, H, T, T]; causal always. With c_i = sum_{l <= i} log f_l
// the sum is c_i - c_j, and c_i, the same for all keys of a query, goes out of the softmax: what is
// added is -c_j, one number a key and head, so that no block is made of it: O(T^2 E) time in tiles,
// O(T) memory. Other normalisers get the whole sum, log_sums the c_i that is their due. A cache
// keeps c_j behind each key's features, as two numbers. In f32 a call whose sums go below -16384 is
// computed in f64, which takes about twice the time, so that a row's last digits depend on who is
// beside it; with statistics, a map, or positions among the terms it is not, and scores lose digits.
//
// f of a key that is masked for all queries, by lengths, key_padding or a tensor, counts as 1;
// under windows and rules the sum is over all on the way. f below exp(-1000) is exp(-1000).
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "self_attention.h"

namespace heed::attention {

struct ForgettingHeadsOptions {
  Index width = 0;       ///< E
  Index heads = 1;       ///< H
  Index head_width = 0;  ///< D; 0: E / H, which must divide
  double dropout = 0;    ///< of the weights, in training
  DType dtype = DType::f32;
};

class ForgettingHeads : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive or do not divide, dropout outside [0, 1].
  explicit ForgettingHeads(const ForgettingHeadsOptions& options);

 private:
  ForgettingHeadsOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj;  ///< [H D, E], without biases
  nn::Linear& forget_gate;               ///< w_f, b_f [H, E]
  nn::Linear& out_proj;                  ///< [E, H D]

  /// log f, [B, H, T]. Throws as operator().
  Tensor log_gates(const Tensor& x) const;

  /// Terms of a sink are refused (ValueError): its logit would miss c_i. Throws ShapeError,
  /// DTypeError.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
