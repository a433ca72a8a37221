// How often a model is wrong, and where it looked. The class with the highest probability is its
// guess, the mean of several runs where there are several: runs look at different places.
#pragma once

#include <cstdint>

#include "../../train/metrics.h"
#include "../../train/picture.h"
#include "model.h"

namespace glimpses {

/// [B, classes]: the probabilities of each class, averaged over the runs.
Tensor probabilities_of(const Episode& episode);

/// `runs` over each image, places drawn; 0: one, at the means of the places. The seed is that of
/// places, of glimpses and of digits in larger images.
train::Confusion evaluate(GlimpseModel& model, const Digits& digits, Index runs = 1,
                          std::uint64_t seed = 1);

/// `rows` rows of `columns` digits, the first ones of `digits`, with the label and the guess below
/// each: of one run over each of them every glimpse a square, a line from centre to centre, from
/// blue (the first) to orange (the last).
train::Picture draw_paths(GlimpseModel& model, const Digits& digits, Index rows, Index columns,
                          std::uint64_t seed);

}  // namespace glimpses
