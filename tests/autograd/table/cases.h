// What the suite makes of a row's samples: the same call with its inputs in other layouts, with the
// same tensor twice, with inputs frozen, with gradients that arrive in other layouts.
#pragma once

#include "row.h"

namespace heed::table {

/// As written, then for each sample where they apply: transposed, strided, offset and expanded
/// inputs; the result transposed and summed over an axis, so that the incoming gradient is a view;
/// aliased; frozen.
std::vector<Sample> cases(const Row& row);

}  // namespace heed::table
