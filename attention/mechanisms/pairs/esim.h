// ESIM (Chen et al. 2017, "Enhanced LSTM for Natural Language Inference"): two sequences, each read
// both ways, aligned softly, compared token by token, and read again.
//
//   abar = BiLSTM(a), bbar = BiLSTM(b);  e_ij = abar_i . bbar_j;  atilde, btilde: soft_alignment.h
//   m_a = [abar; atilde; abar - atilde; abar o atilde], m_b likewise
//   v_a = BiLSTM'(relu(W m_a + b)), v_b likewise
//   pair = [mean v_a; max v_a; mean v_b; max v_b], which a classifier of one tanh layer reads
//
// Dropout stands before both LSTMs and the projection. This is the sequential half of the paper's
// model, which it calls ESIM; the other half reads trees.
#pragma once

#include "../../../nn/dropout.h"
#include "../../../nn/linear.h"
#include "../../../nn/lstm.h"
#include "pair_output.h"
#include "soft_alignment.h"

namespace heed::attention {

struct EsimOptions {
  Index width = 0;   ///< of a token
  Index hidden = 0;  ///< of an LSTM's state in each direction, H
  double dropout = 0;
  DType dtype = DType::f32;
};

class ESIM : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive and dropout is in [0, 1].
  explicit ESIM(const EsimOptions& options);

  nn::Dropout& dropout;
  nn::LSTM& encoder;       ///< BiLSTM
  nn::Linear& projection;  ///< W [H, 8 H]
  nn::LSTM& composition;   ///< BiLSTM'

  /// premise [B, L, width], hypothesis [B, T, width], of which row b has so many tokens; no
  /// lengths:
  /// all. context and premise are v_b and v_a, 2 H wide; pair: [B, 8 H]. Throws ShapeError,
  /// DTypeError.
  PairOutput operator()(const Tensor& premise, const Tensor& hypothesis,
                        const std::vector<Index>& premise_lengths = {},
                        const std::vector<Index>& hypothesis_lengths = {},
                        bool need_weights = false) const;
};

}  // namespace heed::attention
