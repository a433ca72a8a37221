// What the authors of the models got from them, beside what comes out here.
#pragma once

#include <string>
#include <vector>

namespace others {

/// A figure: the error, and how large it may be.
struct Comparison {
  std::string model, what;
  double found = 0, limit = 0;
  bool holds() const { return found <= limit; }
};

/// Of each model in `folder` (nano_sort, stories260k, aren), a line a figure. Throws IoError,
/// FormatError.
std::vector<Comparison> compare_figures(const std::string& folder);

}  // namespace others
