// A batch of sequences, for mechanisms over one or several of them: which places of each count, and
// the numbers with 0 in all others, so that nothing that stands there is ever multiplied.
#pragma once

#include "../masks/mask.h"

namespace heed::attention {

struct MaskedSequence {
  Tensor x;     ///< [B, n, width]; 0 where masked
  Tensor real;  ///< bool [B, n]; undefined: all
};

/// x [B, n, width], `mask` broadcasting to [B, n]. Throws ShapeError, also for windows and blocks,
/// which need queries, DTypeError; all name `op` and `what` x is.
MaskedSequence masked_sequence(const char* op, const char* what, const Tensor& x, Index width,
                               DType dtype, const Mask& mask);

/// x [B, n, ..], of which row b has lengths[b] places; no lengths: all. Throws as first_places().
MaskedSequence masked_sequence(const char* op, const char* what, const Tensor& x,
                               const std::vector<Index>& lengths);

/// x [B, n, ..] with 0 where `real` (bool [B, n] or undefined) is false.
Tensor zero_elsewhere(const Tensor& x, const Tensor& real);
/// The same of rows of lengths[b] places, if there are any. Throws ShapeError.
Tensor zero_elsewhere(const char* op, const Tensor& x, const std::vector<Index>& lengths);

/// Which places of [B, n] count, bool [B, n]; undefined: all. Throws ShapeError as above.
Tensor real_places(const char* op, const char* what, const Mask& mask, Index batch, Index places);

/// Of keys, for every query: places that are true in `real` (bool [B, n]); undefined: all.
Mask of_places(const Tensor& real);

/// The first lengths[b] places of row b of x [B, n, width]; no lengths: all places. Throws
/// ShapeError unless there is one in [0, n] for each row.
Mask first_places(const char* op, const char* what, const Tensor& x,
                  const std::vector<Index>& lengths);

/// Ids i64 [B, n], with 0 where `real` (bool [B, n] or undefined) is false, whatever stands there.
/// Throws DTypeError, ShapeError, and IndexError for a real one outside [0, count).
Tensor real_ids(const char* op, const char* what, const Tensor& ids, Index count,
                const Tensor& real);

/// Throws ShapeError unless there are `batch` rows of x.
void check_rows_of_batch(const char* op, const char* what, const Tensor& x, Index batch);

}  // namespace heed::attention
