// Labels from what connectionist temporal classification has learnt
// (autograd/ops/losses/ctc_loss.h):
// a class or a blank for each step.
//
//   greedy   the likeliest class of each step, repeats merged, blanks dropped (Graves et al. 2006, 3.2)
//   search   the labels whose alignments are likeliest together: a beam of prefixes, each with the
//            probability of its alignments that end with a blank and of those that do not (Hannun et
//            al. 2014, "First-Pass Large Vocabulary Continuous Speech Recognition using Bi-Directional
//            Recurrent DNNs", without a language model)
//
// With a beam as wide as there are prefixes the search is exact: its probability is exp(-ctc_loss).
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn {

struct CtcHypothesis {
  std::vector<Index> labels;
  double log_probability = 0;  ///< of the one alignment (greedy), of all that were found (search)
  std::vector<Index> steps;    ///< where each label begins, in the likeliest way that led there
};

/// log_probs [T, N, C] f32 or f64 -> a hypothesis for each row. Throws ShapeError, DTypeError;
/// ValueError for lengths and a blank that do not fit, for NaN and infinity, and a
/// step at which no class can be.
std::vector<CtcHypothesis> ctc_greedy(const Tensor& log_probs, const std::vector<Index>& lengths,
                                      Index blank = 0);

struct CtcSearchOptions {
  Index blank = 0;
  Index beam = 10;   ///< prefixes that are gone on with
  Index n_best = 1;  ///< at most beam
};

/// The n best of each row, best first. Throws as ctc_greedy(), ValueError for options that make no
/// sense.
std::vector<std::vector<CtcHypothesis>> ctc_search(const Tensor& log_probs,
                                                   const std::vector<Index>& lengths,
                                                   const CtcSearchOptions& options = {});

}  // namespace heed::nn
