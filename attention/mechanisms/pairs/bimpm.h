// BiMPM (Wang, Hamza, Florian 2017, "Bilateral Multi-Perspective Matching for Natural Language
// Sentences"): two sentences, each read both ways, matched in many perspectives both ways, and what
// was matched read again into one vector.
//
//   p = BiLSTM(P), q = BiLSTM(Q);  m_p, m_q: multi_perspective.h
//   v_p = BiLSTM'(m_p), v_q = BiLSTM'(m_q)
//   pair = the last states of v_p forwards and backwards, and of v_q
//
// A classifier of one hidden layer reads the pair. Dropout stands before both LSTMs. O(N M H L). Of
// words the paper has also what an LSTM makes of their characters: here they come as they are.
#pragma once

#include "../../../nn/dropout.h"
#include "../../../nn/lstm.h"
#include "multi_perspective.h"
#include "pair_output.h"

namespace heed::attention {

struct BiMPMOptions {
  Index width = 0;   ///< of a word
  Index hidden = 0;  ///< of an LSTM's state in each direction, H
  Index perspectives = 20;
  bool full = true;
  bool max_pooling = true;
  bool attentive = true;
  bool max_attentive = true;
  double dropout = 0;
  DType dtype = DType::f32;
};

class BiMPM : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive, there is a strategy, and dropout is in [0, 1].
  explicit BiMPM(const BiMPMOptions& options);

  nn::Dropout& dropout;
  nn::LSTM& encoder;  ///< BiLSTM
  MultiPerspectiveMatching& matching;
  nn::LSTM& aggregation;  ///< BiLSTM'

  /// premise [B, N, width], hypothesis [B, M, width], of which row b has so many words; no lengths:
  /// all. context and premise are v_q and v_p, 2 H wide; pair: [B, 4 H]; weights: the attentive
  /// ones, the mean of both directions. Throws ShapeError, DTypeError.
  PairOutput operator()(const Tensor& premise, const Tensor& hypothesis,
                        const std::vector<Index>& premise_lengths = {},
                        const std::vector<Index>& hypothesis_lengths = {},
                        bool need_weights = false) const;
};

}  // namespace heed::attention
