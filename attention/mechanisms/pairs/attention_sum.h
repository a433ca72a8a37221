// Attention sum (Kadlec et al. 2016, "Text Understanding with the Attention Sum Reader Network"): a
// query's one vector attends to the places of a document, and the weights themselves are the
// answer:
//
//   s_i = softmax_i(d_i . q);  P(w) = sum of s_i over the places i where the word w stands
//
// document [B, D, d], query [B, d] -> s [B, D], which sums to 1. No parameters: the paper reads
// both with a bidirectional GRU of its own, q being the two last states of the query's. A document
// without a place that counts has s = 0. Loss: the negative log of the answer's P.
#pragma once

#include "../../../nn/module.h"
#include "../../masks/mask.h"

namespace heed::attention {

class AttentionSum : public nn::Module {
 public:
  /// The mask broadcasts to [B, D]. f32, f64. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& document, const Tensor& query, const Mask& mask = Mask()) const;
};

/// P [B, words] from weights [B, D] and ids i64 [B, D], the word at each place; what stands in
/// masked places, ids included, is not read. Throws IndexError for an id outside [0, words),
/// ShapeError, DTypeError, ValueError unless words is positive.
Tensor pointer_sum(const Tensor& weights, const Tensor& ids, Index words,
                   const Mask& mask = Mask());

}  // namespace heed::attention
