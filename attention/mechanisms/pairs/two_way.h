// Two-way attention for entailment (Rocktaeschel et al. 2016, section 2.4): the hypothesis looks
// back at the premise, and, by the same parameters, the premise at the hypothesis.
//
//   there  h*_1 = attend(read(premise, hypothesis)),  back  h*_2 = attend(read(hypothesis, premise))
//   pair = [h*_1; h*_2]
//
// read is a ConditionalEncoding, attend a WordByWord: see entailment.h. On the way back its premise
// is the hypothesis.
#pragma once

#include "entailment.h"
#include "pair_output.h"

namespace heed::attention {

class TwoWay : public nn::Module {
 public:
  /// Throws ValueError unless both are positive.
  TwoWay(Index input, Index hidden, DType dtype = DType::f32);

  ConditionalEncoding& read;
  WordByWord& attend;

  /// Words [B, L, input] and [B, T, input], of which row b has so many; no lengths: all. context
  /// and premise are the r_t of both ways, as in EntailmentOutput; pair: [B, 2 hidden]. Throws
  /// ShapeError, DTypeError.
  PairOutput operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
                        const std::vector<Index>& premise_lengths = {},
                        const std::vector<Index>& hypothesis_lengths = {},
                        bool need_weights = false) const;
};

}  // namespace heed::attention
