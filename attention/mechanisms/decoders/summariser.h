// Attention-based summariser, ABS (Rush et al. 2015, "A Neural Attention Model for Abstractive
// Sentence Summarization"): each word of the summary follows from the C before it and from a look
// at the text that these words decide.
//
//   p_i ~ exp(x_i P y'_c),  xbar_i = (1 / Q) sum_{q = i - Q .. i + Q} x_q,  enc = sum_i p_i xbar_i
//   p(next) ~ exp(V h + W enc),  h = tanh(U y_c)
//
// x_i = F w_i: the text's embeddings [B, M, H]; y_c and y'_c: the last C words' embeddings by E and
// by G, side by side, C D each. Places beyond the text are 0 in xbar, which is divided by Q all the
// same, as in the paper. V, W and U have no biases. In our General score P^T is `weight` [C D, H].
#pragma once

#include "../../../nn/embedding.h"
#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../scores/general.h"

namespace heed::attention {

/// The encoder alone: attention whose values are sums over the places around each.
class SmoothedAttention : public nn::Module {
 public:
  /// `window` is Q. Throws ValueError unless all are positive.
  SmoothedAttention(Index query_width, Index key_width, Index window, DType dtype = DType::f32);

  General& score;

  /// xbar [B, M, H] of x [B, M, H], whose masked places are 0.
  Tensor smoothed(const Tensor& x) const;
  /// query [B, T, dq], keys [B, M, H], mask broadcasting to [B, M] -> context [B, T, H], weights
  /// [B, T, M]. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& query, const Tensor& keys, const Mask& mask = Mask(),
                      bool need_weights = false) const;

 private:
  Index window_;
};

struct SummariserOptions {
  Index source_words = 0, target_words = 0;  ///< of the two vocabularies
  Index source_width = 0;                    ///< H
  Index target_width = 0;                    ///< D
  Index context = 5;                         ///< C
  Index window = 2;                          ///< Q
  Index hidden = 0;                          ///< of h
  Index start = 0;  ///< the word that stands before the first, as often as needed
  DType dtype = DType::f32;
};

struct SummariserOutput {
  Tensor logits;        ///< [B, T, target_words]
  Tensor weights = {};  ///< p [B, T, M]; undefined unless asked for
};

class Summariser : public nn::Module {
 public:
  /// Throws ValueError for numbers out of range.
  explicit Summariser(const SummariserOptions& options);

  nn::Embedding& source_embedding;   ///< F
  nn::Embedding& context_embedding;  ///< E
  nn::Embedding& query_embedding;    ///< G
  SmoothedAttention& encoder;        ///< P
  nn::Linear& context_projection;    ///< U [hidden, C D]
  nn::Linear& context_out;           ///< V [target_words, hidden]
  nn::Linear& encoder_out;           ///< W [target_words, H]

  /// source i64 [B, M], `mask` broadcasting to it; previous i64 [B, T]: the words before those to
  /// be predicted, the last of them at the end. To decode, hand on the last C and read the last row
  /// of logits. What stands in masked places is not read. Throws IndexError for ids beyond a
  /// vocabulary, ShapeError, DTypeError.
  SummariserOutput operator()(const Tensor& source, const Tensor& previous,
                              const Mask& mask = Mask(), bool need_weights = false) const;
  Index context() const { return context_; }

 private:
  Index context_, start_;
};

}  // namespace heed::attention
