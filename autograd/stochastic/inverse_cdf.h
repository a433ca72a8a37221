// Draws from rows of probabilities: place i where the running sum first passes u times the whole.
#pragma once

#include "../../core/array.h"

namespace heed {

/// probs [N, L] (f32 or f64, contiguous) and uniform numbers u [K, N] (f64) -> places i64 [K, N]:
/// K draws from each row, whose sums must be positive and finite. One pass over a row, then a
/// search a draw. A place of probability 0 is never drawn.
Array inverse_cdf(const Array& probs, const Array& u);

/// Throws ValueError, in `op`'s name, for the first row of probs [.., L] that holds a NaN or a
/// negative number or does not sum to 1; DTypeError; ShapeError for no places.
void check_probabilities(const char* op, const Array& probs);
/// The same for logits [.., L]: NaN, +infinity, or nothing but -infinity.
void check_logits(const char* op, const Array& logits);

}  // namespace heed
