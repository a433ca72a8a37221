// Two memory networks for a pair of sequences (Cheng, Dong, Lapata 2016, sections 4 and 5.3): an
// LSTMN reads the premise, a second one the hypothesis, attending to the premise's tapes by deep
// fusion.
//
//   gamma, alpha = LSTMN(premise);  h = LSTMNDecoder(hypothesis; gamma, alpha)
//   pair = [mean gamma; mean h]
#pragma once

#include "../decoders/lstmn_decoder.h"
#include "pair_output.h"

namespace heed::attention {

class LSTMNPair : public nn::Module {
 public:
  /// Throws ValueError unless both are positive.
  LSTMNPair(Index input, Index hidden, DType dtype = DType::f32);

  LSTMN& read;
  LSTMNDecoder& attend;

  /// Words [B, L, input] and [B, T, input], of which row b has so many; no lengths: all. context is
  /// h, premise gamma; pair: [B, 2 hidden]. Throws ShapeError, DTypeError.
  PairOutput operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
                        const std::vector<Index>& premise_lengths = {},
                        const std::vector<Index>& hypothesis_lengths = {},
                        bool need_weights = false) const;
};

}  // namespace heed::attention
