// Generated tasks for networks that point at what they read, as pointer networks (Vinyals,
// Fortunato, Jaitly 2015): put points of a line in order, or name the corners of the convex hull.
#pragma once

#include <string>
#include <vector>

#include "../../core/array.h"
#include "convex_hull.h"
#include "lengths.h"

namespace heed::data {

enum class PointTask : std::uint8_t { sort, hull };

/// The next problems of the generator's stream, all with as many points; to sort, their y is 0.
/// Throws ValueError unless there are 3 to 2^14.
std::vector<std::vector<Point>> draw_point_problems(PointTask task, Index batch,
                                                    const Lengths& lengths, Generator& generator);

/// The places in the order of x, or the hull's corners (convex_hull()).
std::vector<Index> point_answer(PointTask task, const std::vector<Point>& points);

struct PointBatch {
  Array x;        ///< f32 [B, K, 2], in [0, 1)
  Array targets;  ///< i64 [B, T]: a hull's end where it began; -1 behind the end
};
/// Problems of equal size. Throws ValueError for others, and none.
PointBatch point_batch(PointTask task, const std::vector<std::vector<Point>>& problems);
/// What was pointed to, one place after the other, as an answer: a hull ends where it began, or
/// with the last.
std::vector<Index> pointed_answer(PointTask task, std::vector<Index> places);

/// Of two lists of places: where they differ, the shorter one's end included.
std::size_t places_apart(const std::vector<Index>& a, const std::vector<Index>& b);

/// From a line of numbers, or of points "x,y", which are fitted into the grid, the same scale both
/// ways. `words` gets them as they stand there. Throws ValueError for what is none, or fewer than
/// 3, or more than `most`.
std::vector<Point> read_points(PointTask task, const std::string& line, Index most,
                               std::vector<std::string>& words);

}  // namespace heed::data
