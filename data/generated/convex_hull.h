// Points of the plane and their convex hull, for pointer networks (Vinyals, Fortunato, Jaitly 2015,
// section 3.1). Points lie on a fine grid, so that the hull is exact.
#pragma once

#include <vector>

#include "../../core/generator.h"

namespace heed::data {

struct Point {
  Index x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
constexpr Index kGrid = 1 << 16;  ///< coordinates are from 0 to kGrid - 1

/// The next points of the generator's stream, no two alike. Throws ValueError unless 0 <= count <=
/// 2^24.
std::vector<Point> draw_points(Index count, Generator& generator);

/// The places of the hull's corners, counter-clockwise, from the one that stands first among the
/// points; what lies on an edge is no corner. Of points on one line its ends. Takes n log n
/// (Andrew's monotone chain). Throws ValueError for coordinates beyond 2^30.
std::vector<Index> convex_hull(const std::vector<Point>& points);

/// Of the polygon with these corners: half of |sum x_i y_{i+1} - x_{i+1} y_i|. Throws IndexError.
double polygon_area(const std::vector<Point>& points, const std::vector<Index>& corners);
/// Of the hull's area, the share that a polygon of these corners has; 0 unless it is simple.
double share_of_hull(const std::vector<Point>& points, const std::vector<Index>& corners);
/// Whether no two of its edges cross or touch but at their common corner.
bool is_simple(const std::vector<Point>& points, const std::vector<Index>& corners);

}  // namespace heed::data
