// What references make of blocks.
#pragma once

#include <functional>
#include <vector>

#include "../../support/block.h"

namespace heed::table {

/// f of the elements of x; of x and y, broadcast.
Block map(const Block& x, const std::function<double(double)>& f);
Block map(const Block& x, const Block& y, const std::function<double(double, double)>& f);

/// step(... step(start, first) ..., last) over the places of `axes` (none: all).
Block fold(const Block& x, std::vector<Index> axes, bool keepdim, double start,
           const std::function<double(double, double)>& step);

/// The place with `axis` set to `index`; without the axis; with one inserted.
Place replaced(Place place, Index axis, Index index);
Place without(Place place, Index axis);
Place with(Place place, Index axis, Index index);

}  // namespace heed::table
