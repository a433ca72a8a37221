// How far an explanation can be believed, of examples whose evidence is known, and of any model.
//
//   pointing game  how often the place of the largest value is evidence (Zhang et al. 2016, "Top-down
//                  Neural Attention by Excitation Backprop")
//   deletion       the model's probability as places vanish, the largest value first: it should fall
//   insertion      the same as they come into nothing: it should rise (Petsiuk et al. 2018, "RISE")
//
// Of the curves the area under them counts, over the share of places from 0 to 1.
#pragma once

#include <functional>
#include <vector>

#include "../core/array.h"

namespace heed::train {

/// map [B, N], f32 or f64, and which places are evidence, bool [B, N]: the share of examples, among
/// those that have evidence, whose largest value stands at one; of several equal ones, their share
/// of evidence. NaN is below everything. Throws ShapeError, DTypeError.
double pointing_game(const Array& map, const Array& evidence);

/// Of each example the probability that its model gives to what is explained, where only places
/// with true of bool [B, N] are there.
using SeenPart = std::function<std::vector<double>(const Array& there)>;

/// Means over the examples, of steps + 1 shares of places, 0, 1 / steps, .. 1. `real`, bool [B, N]:
/// which places there are, if not all; the others never are. Throws ShapeError, DTypeError,
/// ValueError unless steps > 0, and where the model answers for another number of examples.
std::vector<double> deletion_curve(const Array& map, const SeenPart& model, Index steps,
                                   const Array* real = nullptr);
std::vector<double> insertion_curve(const Array& map, const SeenPart& model, Index steps,
                                    const Array* real = nullptr);

/// By trapezes. Throws ValueError for fewer than two points.
double area_under(const std::vector<double>& curve);

}  // namespace heed::train
