// Of an alignment with many columns, those that were looked at most: a passage is too wide to be drawn.
#pragma once

#include "alignment.h"

namespace heed::train {

/// The columns whose weights add up to the most, at most `count` of them, in their order. Throws
/// ShapeError, DTypeError as alignment.h's functions, ValueError unless count > 0.
Alignment most_looked_at(const Alignment& alignment, Index count);

}  // namespace heed::train
