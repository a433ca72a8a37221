// Where a model looked, drawn over the digits: each glimpse a square, a line from centre to centre,
// from blue (the first) to orange (the last).
#pragma once

#include "../../train/picture.h"
#include "digits.h"
#include "model.h"

namespace glimpses {

/// `rows` rows of `columns` digits, the first ones of `digits`, with the label and the guess below
/// each: one run over each of them.
train::Picture draw_paths(GlimpseModel& model, const Digits& digits, Index rows, Index columns,
                          std::uint64_t seed);

}  // namespace glimpses
