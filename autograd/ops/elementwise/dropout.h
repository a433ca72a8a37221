// Dropout (Srivastava 2014), inverted: what is kept is scaled, so that evaluation changes nothing.
#pragma once

#include "../../../core/generator.h"
#include "../../tensor.h"

namespace heed {

/// Each element is 0 with probability p, else x / (1 - p); the gradient goes through the same
/// places. f32, f64. Throws ValueError unless 0 <= p < 1 or p == 1 (all zeros).
Tensor dropout(const Tensor& x, double p, Generator& generator = default_generator());

/// As F.dropout: x itself unless `training`.
Tensor dropout(const Tensor& x, double p, bool training,
               Generator& generator = default_generator());
/// Whole channels: of x [B, C, ..] each place of the first two axes is dropped or kept as one.
/// Throws ShapeError below rank 2.
Tensor dropout_channels(const Tensor& x, double p, Generator& generator = default_generator());

}  // namespace heed
