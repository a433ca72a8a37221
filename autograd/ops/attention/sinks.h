// Sinks of attention, and the sums of its scores, in plain operators.
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

/// The log of the sum of exp(score) over the allowed places (undefined: all) of the last axis;
/// -infinity, without a way back, where there is none. Throws ShapeError.
Tensor log_sums_of(const Tensor& scores, const Tensor& allowed);

}  // namespace heed
