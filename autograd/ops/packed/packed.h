// Packed batches: sequences of different lengths one behind the other, and no padding between them.
//
//   tokens [N, ..], offsets {0, .., N}: sequence b is the tokens offsets[b] .. offsets[b + 1] - 1
//
// What reads each token by itself (Linear, LayerNorm, Embedding, losses) takes the tokens as they
// are; what runs along sequences (gru(), segment_sum(), attention's pooling) takes a Packed.
#pragma once

#include "../../tensor.h"

namespace heed {

struct Packed {
  Tensor tokens;               ///< [N, ..]
  std::vector<Index> offsets;  ///< one more than sequences; never falling, from 0 to N

  Index sequences() const { return static_cast<Index>(offsets.size()) - 1; }
  /// Throws IndexError unless b is in [0, sequences()).
  Index length(Index b) const;
  /// Of all sequences.
  std::vector<Index> lengths() const;
  /// Where each token stands in its sequence: {0, .., l_0 - 1, 0, .., l_1 - 1, ..}.
  std::vector<Index> places() const;
};

/// x [B, T, ..] of any dtype -> tokens [N, ..]: the first lengths[b] steps of each row; no lengths:
/// all T. The other steps are not read, NaN or not, and get gradients of 0. Throws ShapeError,
/// ValueError for a length outside [0, T].
Packed pack(const Tensor& x, const std::vector<Index>& lengths);

/// Rows of numbers, i64 [N].
Packed pack(const std::vector<std::vector<Index>>& rows);

/// Back: [B, steps, ..], zeros behind each sequence's end; steps of -1: as many as the longest has.
/// Throws ValueError for fewer, and what check_offsets() does.
Tensor unpack(const Packed& packed, Index steps = -1);

/// {0, l_0, l_0 + l_1, ..}. Throws ValueError for a negative length, ShapeError for an overflow.
std::vector<Index> offsets_of(const std::vector<Index>& lengths);

/// What functions of packed batches ask first, in the name of `op`: ValueError unless offsets begin
/// at 0 and never fall; of tokens, too, ShapeError unless they end at their number, GradError where
/// they are undefined.
void check_offsets(const char* op, const std::vector<Index>& offsets);
void check_offsets(const char* op, const std::vector<Index>& offsets, const Tensor& tokens);

/// Of a padded batch x [B, T, ..]: ShapeError unless there is a length a row, or none; ValueError
/// for one outside [0, T].
void check_lengths(const char* op, const std::vector<Index>& lengths, const Tensor& x);

}  // namespace heed
