// The mean of what several layers and heads looked at, or several words, and files of it.
#pragma once

#include <string>

#include "alignment.h"
#include "attended_text.h"

namespace heed::train {

/// The mean of the sentence's matrices under the title "all layers and heads"; a single matrix
/// stands for itself. Throws ValueError without any.
Alignment mean_alignment(const AlignedSentence& sentence);

/// A sentence of weight 1 whose words have the mean of their column of weights [rows, words], or 0
/// where these are null: how much was looked at each. Throws ShapeError, DTypeError as
/// alignment.h's functions.
AttendedSentence looked_at(const std::vector<std::string>& words, const Array* weights);

/// path.png and path.svg show the mean, path.html it and each of the matrices. Throws IoError;
/// ValueError as above, what alignment.h's functions throw.
void write_alignment(const std::string& path, const AlignedSentence& sentence);

}  // namespace heed::train
