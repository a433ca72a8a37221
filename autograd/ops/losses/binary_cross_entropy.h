// Cross-entropy of yes-or-no scores against targets in [0, 1].
#pragma once

#include "reduction.h"

namespace heed {

struct BinaryCrossEntropyOptions {
  Tensor weight = {};      ///< a factor a loss, broadcasts to the logits; undefined: all 1
  Tensor pos_weight = {};  ///< a factor of the positive part, broadcasts likewise; undefined: all 1
  Reduction reduction = Reduction::mean;
};

/// -(pos_weight z log sigmoid(x) + (1 - z) log(1 - sigmoid(x))) with x the logits and z the
/// targets, of one shape and dtype (f32, f64); no overflow for x of any size. As in PyTorch,
/// targets outside [0, 1] are not refused, and targets get gradients too. Throws ShapeError, also
/// for a mean over no elements, and DTypeError.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& targets,
                                        const BinaryCrossEntropyOptions& options = {});

struct ProbabilityLossOptions {
  Tensor weight = {};  ///< a factor a loss, broadcasts; undefined: all 1
  Reduction reduction = Reduction::mean;
};

/// -(z log p + (1 - z) log(1 - p)) of probabilities p in [0, 1]; each logarithm is at least -100,
/// as PyTorch's, and within 1e-12 of 0 and 1 p's gradient is (p - z) / 1e-12. Logits lose nothing:
/// binary_cross_entropy_with_logits(). Throws ValueError for p outside [0, 1], ShapeError,
/// DTypeError.
Tensor binary_cross_entropy(const Tensor& p, const Tensor& targets,
                            const ProbabilityLossOptions& options = {});

}  // namespace heed
