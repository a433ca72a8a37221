// The mean of what several layers and heads looked at, and files of it.
#pragma once

#include <string>

#include "alignment.h"

namespace heed::train {

/// The mean of the sentence's matrices under the title "all layers and heads"; a single matrix
/// stands for itself. Throws ValueError without any.
Alignment mean_alignment(const AlignedSentence& sentence);

/// path.png and path.svg show the mean, path.html it and each of the matrices. Throws IoError;
/// ValueError as above, what alignment.h's functions throw.
void write_alignment(const std::string& path, const AlignedSentence& sentence);

}  // namespace heed::train
