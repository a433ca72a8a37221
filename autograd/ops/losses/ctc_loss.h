// Connectionist temporal classification (Graves et al. 2006): the loss of a label sequence that is
// not aligned with the steps,
//
//   -log sum over alignments a of prod_t p(a_t at t),
//
// where an alignment names a class a step and becomes the labels when repeats are merged and then
// blanks are dropped: "-aa-b" is "ab".
#pragma once

#include "reduction.h"

namespace heed {

struct CtcLossOptions {
  Index blank = 0;
  Reduction reduction = Reduction::mean;  ///< mean: of loss / max(1, target length) over the rows
  bool zero_infinity = false;             ///< a row without any alignment: 0 in place of infinity
};

/// log_probs [T, N, C] f32 or f64; targets i64 [N, U], or [sum of target_lengths] with the rows
/// one after another; what lies past a row's length is not read. -> rank 0, or [N] for
/// Reduction::none. A row with too few steps for its labels has no alignment: its loss is infinite
/// and its gradient 0 (NaN in PyTorch without zero_infinity).
///
/// The gradient is that of the formula. PyTorch adds exp(log_probs) to it, taking for granted that
/// log_probs come from a log_softmax, through which the two are the same.
///
/// Throws ShapeError, DTypeError, ValueError for lengths and a blank that do not fit, IndexError
/// for a label that is the blank or no class.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets,
                const std::vector<Index>& input_lengths, const std::vector<Index>& target_lengths,
                const CtcLossOptions& options = {});

/// The same from plain operators, step by step: what the fused one is tested against, and what is
/// used where it is to be differentiated twice. Log-probabilities count as at least -1e30.
Tensor ctc_loss_plain(const Tensor& log_probs, const Tensor& targets,
                      const std::vector<Index>& input_lengths,
                      const std::vector<Index>& target_lengths, const CtcLossOptions& options = {});

}  // namespace heed
