// Negative log-likelihood of classes: what cross_entropy() is after its log_softmax.
#pragma once

#include "reduction.h"

namespace heed {

struct NllLossOptions {
  Tensor weight = {};                     ///< [C], a factor a class; undefined: all 1
  Index ignore_index = -100;              ///< targets that count for nothing
  Reduction reduction = Reduction::mean;  ///< mean: over the targets' weights
};

/// -weight[target] input[.., target, ..]: input [C], [N, C] or [N, C, d..] f32 or f64, usually
/// log-probabilities, targets i64 of that shape without C. -> rank 0, or the targets' shape for
/// Reduction::none. Without any target that counts, 0 (NaN in PyTorch), its gradient too. Throws
/// IndexError for a target outside [0, C), ShapeError, DTypeError.
Tensor nll_loss(const Tensor& input, const Tensor& targets, const NllLossOptions& options = {});

}  // namespace heed
