// Segments of an axis: rows [N, ..] of which segment b has the places offsets[b] ..
// offsets[b + 1] - 1. f32 and f64 where numbers are added; offsets unchecked.
#pragma once

#include <vector>

#include "../reduce/reduce.h"

namespace heed::kernels {

/// x [N, ..] -> [B, ..], each segment reduced; one without places gives 0.
Array reduce_segments(Reduce op, const Array& x, const std::vector<Index>& offsets);

/// x [B, ..] -> [N, ..]: x[b] at every place of its segment. Any dtype.
Array repeat_segments(const Array& x, const std::vector<Index>& offsets);

/// x [N, ..] -> exp(x) / sum exp(x) over the places of each segment, feature by feature.
Array segment_softmax(const Array& x, const std::vector<Index>& offsets);
/// Its derivative from the result: y (g - the sum of g y over the segment).
Array segment_softmax_grad(const Array& g, const Array& y, const std::vector<Index>& offsets);

}  // namespace heed::kernels
