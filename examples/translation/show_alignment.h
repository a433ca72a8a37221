// Where a model looks, for people: shaded text, pictures, and a page of all layers and heads.
#pragma once

#include <string>

#include "alignments.h"

namespace translation {

/// The sentence as shaded text for standard output. Unless `output` is empty, output.png and
/// output.svg get the mean of all layers and heads, and output.html all of them. Throws IoError;
/// ValueError as align().
std::string show_alignment(const Language& language, const std::string& source,
                           const std::string& target, const std::string& output);

}  // namespace translation
