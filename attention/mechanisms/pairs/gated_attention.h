// Gated-attention reader (Dhingra et al. 2017, "Gated-Attention Readers for Text Comprehension"): a
// document is read several times; between two readings each of its places is multiplied with what
// of the query it attends to, so that the next reading sees it filtered by the query.
//
//   k = 1 .. K:  D = BiGRU_k(X),  Q = BiGRU'_k(query words);  at first X is the document's words
//   gate, k < K: alpha_i = softmax(Q d_i),  q~_i = Q^T alpha_i,  X_i = d_i o q~_i
//   at last      s_i = softmax_i(q . d_i), q the two last states of Q
//
// document words [B, D, input], query words [B, T, input] -> s [B, D], which sums to 1 and goes
// into pointer_sum() (attention_sum.h). The paper takes Q at the blank's place for q; ours, which
// also answers questions without one, the ends of both directions, as the attention-sum reader
// does.
#pragma once

#include "../../../nn/dropout.h"
#include "../../../nn/gru.h"
#include "../../attend.h"
#include "attention_sum.h"

namespace heed::attention {

struct GatedAttentionOptions {
  Index input = 0;   ///< of a word
  Index hidden = 0;  ///< of a GRU's state in each direction, H
  Index hops = 3;    ///< K
  double dropout = 0;
  DType dtype = DType::f32;
};

struct GatedAttentionOutput {
  Tensor weights;                     ///< s [B, D]
  std::vector<Tensor> by_place = {};  ///< alpha [B, D, T] of each gate; none unless asked for
};

/// One gate: d o q~ of document [B, D, d] and query [B, T, d], and alpha [B, D, T]. A query without
/// a place that counts gives zeros. Throws ShapeError, DTypeError.
Attended gated_attention(const Tensor& document, const Tensor& query,
                         const Mask& query_mask = Mask(), bool need_weights = false);

class GatedAttentionReader : public nn::Module {
 public:
  /// Throws ValueError unless sizes and hops are positive and dropout is in [0, 1].
  explicit GatedAttentionReader(const GatedAttentionOptions& options);

  nn::Dropout& dropout;  ///< before each GRU but those of the first reading
  std::vector<nn::GRU*> documents, queries;
  AttentionSum& point;

  /// Row b has so many words; no lengths: all. Throws ShapeError, DTypeError.
  GatedAttentionOutput operator()(const Tensor& document, const Tensor& query,
                                  const std::vector<Index>& document_lengths = {},
                                  const std::vector<Index>& query_lengths = {},
                                  bool need_weights = false) const;
};

}  // namespace heed::attention
