// Cross-entropy of class scores (logits) against class indices.
#pragma once

#include "reduction.h"

namespace heed {

/// As PyTorch's CrossEntropyLoss.
struct CrossEntropyOptions {
  Tensor weight = {};          ///< [C], a factor a class; undefined: all 1
  Index ignore_index = -100;   ///< targets that count for nothing
  double label_smoothing = 0;  ///< in [0, 1]: this much of the target is spread over all classes
  Reduction reduction = Reduction::mean;  ///< mean: over the targets' weights
};

/// -sum_c q_c log softmax(logits)_c with q the smoothed target. logits [C], [N, C] or [N, C, d..],
/// f32 or f64; targets i64, of that shape without C; -> rank 0, or the targets' shape for
/// Reduction::none. Without any target that counts, 0 (its gradient too). One pass each way, and no
/// copy of the logits is kept, but one with the classes last for [N, C, d..]. Throws IndexError for
/// a target outside [0, C), ShapeError, DTypeError, ValueError.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});

/// The same from plain operators: what the fused one is tested against, and what is used where it
/// is to be differentiated twice.
Tensor cross_entropy_plain(const Tensor& logits, const Tensor& targets,
                           const CrossEntropyOptions& options = {});

}  // namespace heed
