#include "convex_hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "../../core/error.h"

namespace heed::data {
namespace {

// Above 0 where a, b, c turn to the left.
Index turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool between(const Point& a, const Point& b, const Point& c) {  // c, on the line of a and b
  return std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y &&
         c.y <= std::max(a.y, b.y);
}

int sign(Index x) { return (x > 0) - (x < 0); }

bool meet(const Point& a, const Point& b, const Point& c, const Point& d) {
  const int abc = sign(turn(a, b, c)), abd = sign(turn(a, b, d)), cda = sign(turn(c, d, a)),
            cdb = sign(turn(c, d, b));
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && between(a, b, c)) || (abd == 0 && between(a, b, d)) ||
         (cda == 0 && between(c, d, a)) || (cdb == 0 && between(c, d, b));
}

const Point& corner(const std::vector<Point>& points, Index place) {
  if (place < 0 || place >= static_cast<Index>(points.size())) {
    throw IndexError(fmt::format("hull: corner {} of {} points", place, points.size()));
  }
  return points[static_cast<std::size_t>(place)];
}

}  // namespace

std::vector<Point> draw_points(Index count, Generator& generator) {
  if (count < 0 || count > Index{1} << 24) {
    throw ValueError(fmt::format("hull: {} points cannot be drawn", count));
  }
  std::set<std::pair<Index, Index>> taken;
  std::vector<Point> out;
  while (static_cast<Index>(out.size()) < count) {
    const Index x = generator.below(kGrid);
    const Index y = generator.below(kGrid);
    if (taken.insert({x, y}).second) out.push_back({x, y});
  }
  return out;
}

std::vector<Index> convex_hull(const std::vector<Point>& points) {
  for (const Point& point : points) {
    if (std::max(std::abs(point.x), std::abs(point.y)) > Index{1} << 30) {
      throw ValueError(fmt::format("hull: ({}, {}) is beyond 2^30", point.x, point.y));
    }
  }
  const auto at = [&](Index i) { return points[static_cast<std::size_t>(i)]; };
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return std::pair(at(i).x, at(i).y) < std::pair(at(j).x, at(j).y);
  });
  order.erase(
      std::unique(order.begin(), order.end(), [&](Index i, Index j) { return at(i) == at(j); }),
      order.end());
  if (order.size() < 3) {
    std::sort(order.begin(), order.end());
    return order;
  }
  std::vector<Index> out;
  for (int side = 0; side < 2; ++side) {  // the lower chain from the left, the upper one back
    const std::size_t begin = out.size();
    for (const Index next : order) {
      while (out.size() >= begin + 2 &&
             turn(at(out[out.size() - 2]), at(out.back()), at(next)) <= 0) {
        out.pop_back();
      }
      out.push_back(next);
    }
    out.pop_back();
    std::reverse(order.begin(), order.end());
  }
  std::rotate(out.begin(), std::min_element(out.begin(), out.end()), out.end());
  return out;
}

double polygon_area(const std::vector<Point>& points, const std::vector<Index>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point &a = corner(points, corners[i]),
                &b = corner(points, corners[(i + 1) % corners.size()]);
    twice += static_cast<double>(a.x) * static_cast<double>(b.y) -
             static_cast<double>(b.x) * static_cast<double>(a.y);
  }
  return std::abs(twice) / 2;
}

bool is_simple(const std::vector<Point>& points, const std::vector<Index>& corners) {
  const std::size_t n = corners.size();
  if (std::set<Index>(corners.begin(), corners.end()).size() != n) return false;
  const auto at = [&](std::size_t i) { return corner(points, corners[i % n]); };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 2; j < n; ++j) {
      if ((j + 1) % n != i && meet(at(i), at(i + 1), at(j), at(j + 1))) return false;
    }
  }
  return true;
}

double share_of_hull(const std::vector<Point>& points, const std::vector<Index>& corners) {
  const double whole = polygon_area(points, convex_hull(points));
  return whole > 0 && is_simple(points, corners) ? polygon_area(points, corners) / whole : 0;
}

}  // namespace heed::data
