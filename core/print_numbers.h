// How the numbers of one array are written, so that they stand in columns: NumPy's rule. Internal
// to print.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed::detail {

/// Writes one number, as wide as all others.
using WriteNumber = std::function<std::string(double)>;

/// For these numbers, which are f32 where `single` says so (fewer digits tell those apart).
WriteNumber float_writer(const std::vector<double>& values, bool single, int precision);

}  // namespace heed::detail
