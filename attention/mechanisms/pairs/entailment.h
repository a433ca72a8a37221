// Attention for entailment (Rocktaeschel et al. 2016, "Reasoning about Entailment with Neural
// Attention"): a hypothesis, read on from where the reading of a premise ended, looks back at it.
//
//   conditional encoding  Y = LSTM(premise),  H = LSTM'(hypothesis), whose first cell state is the
//                         premise's last
//   word by word   alpha_t = softmax(w^T tanh(W^y Y + (W^h h_t + W^r r_{t-1}) 1^T)),
//                  r_t = Y alpha_t^T + tanh(W^t r_{t-1}),  h* = tanh(W^p r_N + W^x h_N)
//   one shot       alpha = softmax(w^T tanh(W^y Y + (W^h h_N) 1^T)),  r = Y alpha^T,  h* likewise
//
// premise Y [B, L, k], hypothesis H [B, T, k], whose row b has its last word at N = lengths[b].
// Projections have no biases, as in the paper; in our Additive score W1 is [W^h W^r], W2 is W^y.
#pragma once

#include "../../../nn/lstm.h"
#include "../../attend.h"
#include "../../scores/additive.h"

namespace heed::attention {

struct ConditionalEncodingOutput {
  Tensor premise;     ///< Y [B, L, hidden], 0 in the padding
  Tensor hypothesis;  ///< H [B, T, hidden], 0 in the padding
  Tensor last;        ///< h_N [B, hidden]; 0 for a hypothesis without words
};

class ConditionalEncoding : public nn::Module {
 public:
  /// Throws ValueError unless both are positive.
  ConditionalEncoding(Index input, Index hidden, DType dtype = DType::f32);

  nn::LSTM& premise;
  nn::LSTM& hypothesis;

  /// [B, L, input] and [B, T, input]; lengths: none given, all count. Throws ShapeError,
  /// DTypeError.
  ConditionalEncodingOutput operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
                                       const std::vector<Index>& premise_lengths = {},
                                       const std::vector<Index>& hypothesis_lengths = {}) const;
};

/// h* = tanh(W^p r + W^x h_N), of both forms.
class EntailmentPair : public nn::Module {
 public:
  explicit EntailmentPair(Index width, DType dtype = DType::f32);

  nn::Linear& premise;     ///< W^p [k, k]
  nn::Linear& hypothesis;  ///< W^x [k, k]

  Tensor operator()(const Tensor& r, const Tensor& last) const;
};

struct EntailmentOutput {
  Tensor context;       ///< r_t [B, T, k]; beyond a hypothesis' length its r_N goes on
  Tensor weights = {};  ///< alpha_t [B, T, L], 0 beyond; undefined unless asked for
  Tensor pair = {};     ///< h* [B, k]
};

class WordByWord : public nn::Module {
 public:
  /// Throws ValueError unless width, k, is positive.
  explicit WordByWord(Index width, DType dtype = DType::f32);

  Additive& score;       ///< W^h and W^r side by side, W^y, w
  nn::Linear& carry;     ///< W^t [k, k]
  EntailmentPair& pair;  ///< W^p, W^x

  /// `premise_mask` broadcasts to [B, L]; lengths of the hypotheses: none given, all count. A
  /// premise without words is read as zeros, a hypothesis without words gives zeros. Throws
  /// ShapeError, DTypeError.
  EntailmentOutput operator()(const Tensor& premise, const Tensor& hypothesis,
                              const Mask& premise_mask = Mask(),
                              const std::vector<Index>& hypothesis_lengths = {},
                              bool need_weights = false) const;
};

/// The whole premise, from the last word of the hypothesis alone.
class OneShotAttention : public nn::Module {
 public:
  explicit OneShotAttention(Index width, DType dtype = DType::f32);

  Additive& score;       ///< W^h, W^y, w
  EntailmentPair& pair;  ///< W^p, W^x

  /// last: h_N [B, k] -> context r [B, k], weights [B, L], pair h* [B, k]. Throws ShapeError,
  /// DTypeError.
  EntailmentOutput operator()(const Tensor& premise, const Tensor& last,
                              const Mask& premise_mask = Mask(), bool need_weights = false) const;
};

}  // namespace heed::attention
