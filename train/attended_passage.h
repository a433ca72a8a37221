// A passage of several sentences that one attention looked at as a whole.
#pragma once

#include <string>
#include <vector>

#include "attended_text.h"

namespace heed::train {

/// Each sentence, of weight 1, with the next of the weights, one a word. Throws ShapeError.
AttendedText attended_passage(const std::vector<std::vector<std::string>>& sentences,
                              const std::vector<double>& weights);

}  // namespace heed::train
