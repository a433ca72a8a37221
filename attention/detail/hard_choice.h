// What hard mechanisms have in common: a context made of a choice among places.
#pragma once

#include "../../autograd/stochastic/choices.h"
#include "../memory.h"

namespace heed::attention {

/// Of values [.., K, dv] those that are chosen: an index [.., Q] gathers rows, no weight is ever
/// made; weights [.., Q, K] sum them up. Leading axes broadcast -> [.., Q, dv].
Tensor chosen_values(const Choice& choice, const Tensor& values);

/// Throws ShapeError, DTypeError, in `op`'s name, unless they are keys and values of one sequence.
void check_sequence(const char* op, const Tensor& keys, const Tensor& values);

/// Scores [.., Q, K] for choosing: -infinity where `allowed` (undefined: everywhere) is false,
/// whatever stands there, and NaN where what may be looked at is not finite, in the query or in the
/// keys. `past`: as Score's.
Tensor choosable_scores(const Memory& memory, const Tensor& query, const Tensor& allowed,
                        const Tensor& past = Tensor());

/// Where scores [S, .., Q, K] have an axis of samples in front, their shape without it, in which
/// the rows are those of a mask: it is there where the first look's scores, whose rank is kept in
/// `rank` (0: this is the first), had one axis less.
Shape without_samples(const Shape& scores, Index& rank);

}  // namespace heed::attention
