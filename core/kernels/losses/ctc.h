// Connectionist temporal classification: the probability of all alignments of a label sequence with
// T steps, by the forward-backward algorithm in log space (Graves et al. 2006), a row of the batch
// at a time, rows in parallel. With U labels there are S = 2 U + 1 places: the labels, and a blank
// before, between and after them.
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

class Ctc {
 public:
  /// targets i64 [N, U]; of row n the first target_lengths[n] are read, and the first
  /// input_lengths[n] steps. Unchecked.
  Ctc(const Array& targets, std::vector<Index> input_lengths, std::vector<Index> target_lengths,
      Index blank);

  struct Result {
    Array losses;  ///< [N]: -log of the probability, infinity where there is no alignment
    Array alpha;   ///< [N, T, S]: log of the probability of the steps so far, ending at a place
  };
  /// log_probs [T, N, C].
  Result forward(const Array& log_probs) const;
  /// The gradient of log_probs from that of the losses, g [N]; zero where the loss is infinite.
  Array backward(const Array& log_probs, const Result& result, const Array& g) const;

 private:
  /// The class at a place.
  Index label(Index row, Index place) const;
  /// True when an alignment may go to `place` from two places before it.
  bool may_skip(Index row, Index place) const;

  Array targets_;
  std::vector<Index> input_lengths_, target_lengths_;
  Index blank_;
};

}  // namespace heed::kernels
