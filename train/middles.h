// Where rows of weights lie: the place at which half of a row's weight is reached, as the windows
// of Chorowski et al. 2015 have it. What little there is far away does not move it, as it would a
// mean.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::train {

/// weights [rows, places], f32 or f64 -> for each row a number in [0, places]: k + 1/2 for all of
/// it at place k. A weight is spread evenly over its place; those that are not finite, or below 0,
/// count as 0, and a row of nothing gives 0. Throws ShapeError, DTypeError.
std::vector<double> middles(const Array& weights);

}  // namespace heed::train
