// Points of the plane with a polygon that was found around them, and their true hull beside it,
// grey.
#pragma once

#include <vector>

#include "../data/generated/convex_hull.h"
#include "picture.h"

namespace heed::train {

/// `corners`: places among the points, which lie on the grid; each has its number, from 1. Throws
/// IndexError for others.
Picture hull_picture(const std::vector<data::Point>& points, const std::vector<Index>& corners);

}  // namespace heed::train
