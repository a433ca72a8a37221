// What models of a pair of sequences share: the pair, checked, and how two vectors are compared.
#pragma once

#include "masked_sequence.h"

namespace heed::attention {

struct SequencePair {
  MaskedSequence premise, hypothesis;
};

/// premise [B, L, width], hypothesis [B, T, width] and how many of each row count; no lengths: all.
/// Throws ShapeError, DTypeError, which name `op`.
SequencePair sequence_pair(const char* op, const Tensor& premise,
                           const std::vector<Index>& premise_lengths, const Tensor& hypothesis,
                           const std::vector<Index>& hypothesis_lengths, Index width, DType dtype);

/// [x; y; x - y; x o y] along the last axis (Chen et al. 2017).
Tensor compare_by_differences(const Tensor& x, const Tensor& y);

}  // namespace heed::attention
