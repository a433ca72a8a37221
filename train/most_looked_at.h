// Of an alignment with many columns, those that were looked at most: a passage is too wide to be
// drawn.
#pragma once

#include "alignment.h"

namespace heed::train {

/// The columns whose weights add up to the most, at most `count` of them, in their order. Throws
/// ShapeError, DTypeError as alignment.h's functions, ValueError unless count > 0.
Alignment most_looked_at(const Alignment& alignment, Index count);

/// Their alignment_picture()s of at most `columns` such columns each, one below the other; of none
/// an empty picture. Throws as above.
Picture alignments_picture(const std::vector<Alignment>& alignments, Index columns);

/// The same into a PNG; false, and no file, where there are none. Throws IoError, too.
bool write_alignments(const std::string& path, const std::vector<Alignment>& alignments,
                      Index columns);

}  // namespace heed::train
