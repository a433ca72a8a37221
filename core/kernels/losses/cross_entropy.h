// Cross-entropy of rows of logits against class indices, forward and backward in one pass each.
#pragma once

#include "../../array.h"

namespace heed::kernels {

class CrossEntropy {
 public:
  /// targets i64 [N], each in [0, C) or ignore_index; weight [C] or undefined. Unchecked.
  CrossEntropy(const Array& targets, const Array& weight, Index ignore_index,
               double label_smoothing);

  struct Result {
    Array losses;     ///< [N]
    Array log_norms;  ///< [N]: log sum exp of each row
    double count;     ///< sum of the targets' weights
  };
  /// logits [N, C].
  Result forward(const Array& logits) const;
  /// The gradient of the logits from that of the losses, g [N]; written over the logits with
  /// `in_place`, where they are contiguous.
  Array backward(const Array& logits, const Array& log_norms, const Array& g,
                 bool in_place = false) const;

 private:
  Array targets_, weight_;
  Index ignore_index_;
  double smoothing_;
};

}  // namespace heed::kernels
