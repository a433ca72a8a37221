// Sinks of attention, what a mask or a score of -infinity hides, and the sums of scores, in plain
// operators.
#pragma once

#include "../../tensor.h"

namespace heed {

/// Scores [.., Q, K] (with axis -2 [.., Q, K, d]) with a place more at the end of `axis`, whose
/// score is the sink's; what may be attended to, where that was given.
struct ScoresBesideSinks {
  Tensor scores, allowed;
};
/// `sinks` broadcast to the axes before Q, and are one number where scores are a row alone, [K]; a
/// sink of -infinity is none. Throws ShapeError.
ScoresBesideSinks beside_sinks(const Tensor& scores, const Tensor& allowed, const Tensor& sinks,
                               Index axis = -1);

/// `allowed` (undefined: all) but for the places where x, scores or what is added to them, is
/// -infinity: these are hidden as by a mask, so that a row of them is one of nothing.
Tensor but_hidden(const Tensor& allowed, const Tensor& x);

/// x [.., rows, d], with zeros in the rows of which no element of the mask (undefined: x as it is),
/// over `axis`, is true: they take no part, but what stands there would meet a weight of 0.
Tensor without_unseen(const Tensor& x, const Tensor& mask, Index axis);

/// The log of the sum of exp(score) over the allowed places (undefined: all) of the last axis;
/// -infinity, without a way back, where there is none. Throws ShapeError.
Tensor log_sums_of(const Tensor& scores, const Tensor& allowed);

}  // namespace heed
