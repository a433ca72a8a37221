// Reductions over each sequence of a packed batch (see packed.h): x.tokens [N, ..] -> [B, ..], f32
// and f64. A sequence without tokens gives 0. No block of sequences by steps is made. All throw
// what check_offsets() does, DTypeError.
#pragma once

#include "packed.h"

namespace heed {

Tensor segment_sum(const Packed& x);
Tensor segment_mean(const Packed& x);
/// Feature by feature; NaN wins; equal places share the gradient.
Tensor segment_max(const Packed& x);

/// x [B, ..] -> [N, ..]: x[b] at each token of sequence b; any dtype. Throws ShapeError unless
/// there is a sequence a row, ValueError as check_offsets().
Tensor repeat_segments(const Tensor& x, const std::vector<Index>& offsets);

/// exp(x) / sum exp(x) over the tokens of each sequence -> [N, ..], without overflow. A place of
/// probability 0 exactly takes no part in the gradients either.
Tensor segment_softmax(const Packed& x);

}  // namespace heed
