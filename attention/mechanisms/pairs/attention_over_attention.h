// Attention over attention (Cui et al. 2017, "Attention-over-Attention Neural Networks for Reading
// Comprehension"): each token of the query attends to the document, and how much each of these
// attentions counts is itself attended to, from the document.
//
//   M_ij = h_doc(i) . h_query(j);  alpha(j) = softmax over i of M_ij
//   beta(i) = softmax over j of M_ij;  beta = mean_i beta(i);  s = alpha beta
//   pointer sum:  P(w) = sum of s_i over the places i where the word w stands
//
// document [B, D, d], query [B, T, d] -> s [B, D], which sums to 1. No parameters. Where the
// document or the query has no place that counts, s is 0. Loss: the negative log of the answer's P.
#pragma once

#include "attention_sum.h"

namespace heed::attention {

struct AttentionOverAttentionOutput {
  Tensor weights;          ///< s [B, D]
  Tensor by_query = {};    ///< alpha [B, D, T]: each column sums to 1; undefined unless asked for
  Tensor of_queries = {};  ///< beta, the mean, [B, T]; undefined unless asked for
};

class AttentionOverAttention : public nn::Module {
 public:
  /// Masks broadcast to [B, D] and [B, T]. f32, f64. Throws ShapeError, DTypeError.
  AttentionOverAttentionOutput operator()(const Tensor& document, const Tensor& query,
                                          const Mask& document_mask = Mask(),
                                          const Mask& query_mask = Mask(),
                                          bool need_weights = false) const;
};

}  // namespace heed::attention
