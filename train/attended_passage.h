// A passage of several sentences that one attention looked at as a whole.
#pragma once

#include <string>
#include <vector>

#include "alignment.h"
#include "attended_text.h"

namespace heed::train {

/// Each sentence, of weight 1, with the next of the weights, one a word. Throws ShapeError.
AttendedText attended_passage(const std::vector<std::vector<std::string>>& sentences,
                              const std::vector<double>& weights);

/// The same, each word by the sum of its column, in their order; words behind the last column have
/// none. Throws ShapeError, DTypeError.
AttendedText passage_looked_at(const std::vector<std::vector<std::string>>& sentences,
                               const Alignment& looked);

/// The words of the sentences of these numbers in full, others without weight. Throws IndexError.
AttendedText marked_passage(const std::vector<std::vector<std::string>>& sentences,
                            const std::vector<Index>& marked);

}  // namespace heed::train
