// Arrays that lie side by side in one block of memory, as the pieces of a split do: what is made so
// need not be put together again.
#pragma once

#include <vector>

#include "array.h"

namespace heed {

/// What these are the pieces of along `axis` (not negative), in their order: a view of their memory,
/// or undefined where they do not lie so.
Array joined_in_place(const std::vector<Array>& pieces, Index axis);

/// Uninitialised arrays of these shapes, strides and dtype in one block of their own, if `like` fill
/// a block together whose rows hold a piece of each (queries, keys and values of one projection);
/// else none.
std::vector<Array> empty_side_by_side(const std::vector<Array>& like);

}  // namespace heed
