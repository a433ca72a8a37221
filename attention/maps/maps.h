// Score maps with names; others are written with score_map(). They go into Terms::map, one after
// the other by then(): maps::soft_cap(cap).then(maps::slopes(m)).
#pragma once

#include "../../autograd/ops/attention/score_map.h"

namespace heed::attention::maps {

/// cap tanh(s / cap): scores within (-cap, cap) (Gemma 2, Rivière et al. 2024). Throws ValueError
/// unless positive.
ScoreMap soft_cap(double cap);
/// The same with a cap that may be learned, one for all or [H].
ScoreMap soft_cap(const Tensor& cap);
/// s - m |q - k| (ALiBi, Press et al. 2022), with slopes one for all or [H], which may be learned.
ScoreMap slopes(const Tensor& slopes);
/// s + table(h, distance): learned numbers [H, D] by a distance given of each place, i64 that
/// broadcasts to [.., Q, K], as that of two nodes in a graph (Graphormer, Ying et al. 2021). Throws
/// ShapeError, DTypeError.
ScoreMap by_distance(const Tensor& table, const Tensor& distances);
/// s + r_h sum over i of cos((q - k) / 10000^(2 i / width)), i = 1 .. width / 2, r_h = 8 h / heads,
/// h = 1 .. heads (Sandwich, Chi et al. 2023), for sequences of up to `steps` places. Throws
/// ValueError unless all are positive and the width is even, ShapeError and OutOfMemory for sizes
/// that no table could have.
ScoreMap sandwich(Index heads, Index steps, Index width = 128, DType dtype = DType::f32);

}  // namespace heed::attention::maps
