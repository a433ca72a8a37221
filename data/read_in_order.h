// A text read in order, in several parts side by side, for models that carry along what they read.
#pragma once

#include <cstdint>
#include <vector>

#include "loader.h"
#include "windows.h"

namespace heed::data {

/// Passes over side_by_side() windows, each pass cutting the text elsewhere: without the first few
/// tokens, fewer than `length`, as drawn. A batch goes on where the one before ended, but for the
/// first of a pass (index() == 1 behind it). The text outlives the loader. Throws ValueError as
/// side_by_side().
Loader<Windows> read_in_order(const std::vector<Index>& text, Index rows, Index length,
                              std::uint64_t seed);

}  // namespace heed::data
