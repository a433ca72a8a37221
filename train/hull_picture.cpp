#include "hull_picture.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::train {
namespace {

constexpr Index kSide = 360, kEdge = 16;
constexpr Colour kInk{20, 20, 20}, kFaint{120, 120, 120}, kTrue{190, 190, 190}, kFound{214, 96, 20};

}  // namespace

Picture hull_picture(const std::vector<data::Point>& points, const std::vector<Index>& corners) {
  for (const Index corner : corners) {
    if (corner < 0 || corner >= static_cast<Index>(points.size())) {
      throw IndexError(fmt::format("hull_picture: corner {} of {} points", corner, points.size()));
    }
  }
  Picture out(kSide + 2 * kEdge, kSide + 2 * kEdge, {255, 255, 255});
  const auto x = [&](Index i) {
    return kEdge + points[static_cast<std::size_t>(i)].x * kSide / data::kGrid;
  };
  const auto y = [&](Index i) {
    return kEdge + kSide - points[static_cast<std::size_t>(i)].y * kSide / data::kGrid;
  };
  const auto around = [&](const std::vector<Index>& places, Colour colour, Index shift) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Index a = places[i], b = places[(i + 1) % places.size()];
      out.line(x(a) + shift, y(a) + shift, x(b) + shift, y(b) + shift, colour);
    }
  };
  around(data::convex_hull(points), kTrue, 3);
  around(corners, kFound, 0);
  for (Index i = 0; i < static_cast<Index>(points.size()); ++i) {
    out.fill(x(i) - 2, y(i) - 2, 5, 5, kInk);
    out.text(x(i) + 5, y(i) - 4, std::to_string(i + 1), kFaint);
  }
  return out;
}

}  // namespace heed::train
