#include "../../../data/generated/convex_hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

using Places = std::vector<Index>;

// All others lie to the left of each of the hull's edges, and so does nothing of less corners.
TEST(ConvexHull, HasAllPointsToItsLeft) {
  Generator generator(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Point> points = draw_points(3 + generator.below(20), generator);
    if (round % 2 == 0) {
      for (Point& point : points) point = {point.x % 5, point.y % 5};  // many on a line, and twins
    }
    const Places hull = convex_hull(points);
    const auto at = [&](std::size_t i) {
      return points[static_cast<std::size_t>(hull[i % hull.size()])];
    };
    EXPECT_EQ(*std::min_element(hull.begin(), hull.end()), hull.front());
    if (hull.size() < 3) continue;
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Point a = at(i), b = at(i + 1);
      for (const Point& c : points) {
        const Index turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        EXPECT_GE(turn, 0);
        EXPECT_TRUE(turn != 0 || c == a || c == b || !(c == at(i + 2)));
      }
    }
    EXPECT_TRUE(is_simple(points, hull));
    EXPECT_DOUBLE_EQ(share_of_hull(points, hull), 1);
  }
}

TEST(ConvexHull, OfFewPointsAndOfALine) {
  EXPECT_EQ(convex_hull({}), Places{});
  EXPECT_EQ(convex_hull({{1, 1}, {1, 1}}), Places{0});
  EXPECT_EQ(convex_hull({{2, 2}, {0, 0}, {1, 1}, {3, 3}}), (Places{1, 3}));
  EXPECT_EQ(convex_hull({{0, 0}, {0, 2}, {2, 2}, {2, 0}, {1, 1}, {1, 0}}), (Places{0, 3, 2, 1}));
  constexpr Index kFar = Index{1} << 30;
  EXPECT_EQ(convex_hull({{-kFar, -kFar}, {kFar, -kFar}, {kFar, kFar}, {0, 0}}), (Places{0, 1, 2}));
  for (const Point& beyond : {Point{0, kFar + 1}, Point{kFar + 1, 0}, Point{-kFar - 1, 0}}) {
    EXPECT_ERROR_WITH(ValueError, "is beyond 2^30", convex_hull({{1, 1}, beyond}));
  }
}

TEST(ConvexHull, MeasuresPolygons) {
  const std::vector<Point> square = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 2}};
  EXPECT_DOUBLE_EQ(polygon_area(square, {0, 1, 2, 3}), 16);
  EXPECT_DOUBLE_EQ(polygon_area(square, {0, 2, 1}), 8);
  EXPECT_DOUBLE_EQ(share_of_hull(square, {0, 1, 2}), 0.5);
  EXPECT_DOUBLE_EQ(share_of_hull(square, {0, 2, 1, 3}), 0);  // its edges cross
  EXPECT_FALSE(is_simple(square, {0, 1, 0}));
  EXPECT_FALSE(is_simple(square, {0, 1, 4, 2, 3, 4}));
  EXPECT_TRUE(is_simple(square, {0, 1, 4, 2, 3}));
  EXPECT_ERROR_WITH(IndexError, "hull: corner 5 of 5 points", polygon_area(square, {0, 5}));
  EXPECT_ERROR_WITH(IndexError, "hull: corner -1 of 5 points", polygon_area(square, {-1, 0}));
  EXPECT_DOUBLE_EQ(polygon_area(square, {0, 3, 2, 1}), 16);  // the other way round
  EXPECT_DOUBLE_EQ(share_of_hull({{0, 0}, {1, 1}, {2, 2}}, {0, 2}), 0);
}

// A corner on another edge, whichever of the two edges it ends, and edges that lie in one another.
TEST(ConvexHull, EdgesThatTouchAreNotSimple) {
  const std::vector<Point> points = {{0, 0}, {6, 0}, {6, 6}, {3, 0},
                                     {0, 6}, {3, 3}, {9, 0}, {3, -3}};
  const auto simple = [&](Places corners) {
    std::set<bool> found;
    for (std::size_t i = 0; i < corners.size(); ++i) {  // wherever it begins, either way
      std::rotate(corners.begin(), corners.begin() + 1, corners.end());
      found.insert(is_simple(points, corners));
      found.insert(is_simple(points, Places(corners.rbegin(), corners.rend())));
    }
    EXPECT_EQ(found.size(), 1U);
    return *found.begin();
  };
  EXPECT_TRUE(simple({0, 1, 2, 4}));
  EXPECT_TRUE(simple({0, 3, 1, 2, 4}));   // on the way along the edge
  EXPECT_FALSE(simple({0, 1, 2, 3, 4}));  // back to the first edge
  EXPECT_FALSE(simple({0, 6, 1, 2, 4, 3}));
  EXPECT_TRUE(simple({0, 7, 1, 2, 5, 4}));  // inside, but off the edges
  EXPECT_FALSE(simple({0, 1, 5, 7}));       // through an edge
  EXPECT_TRUE(is_simple(points, {0, 1, 2}));
}

TEST(ConvexHull, DrawsDifferentPoints) {
  Generator generator(7), same(7);
  const auto points = draw_points(503, generator);
  std::set<std::pair<Index, Index>> different;
  for (const Point& point : points) {
    EXPECT_TRUE(point.x >= 0 && point.x < kGrid && point.y >= 0 && point.y < kGrid);
    different.insert({point.x, point.y});
  }
  EXPECT_EQ(different.size(), 503U);
  EXPECT_EQ(draw_points(503, same), points);
  EXPECT_ERROR_WITH(ValueError, "hull: -1 points cannot be drawn", draw_points(-1, generator));
  EXPECT_ERROR_WITH(ValueError, "hull: 16777217 points cannot be drawn",
                    draw_points((Index{1} << 24) + 1, generator));
  EXPECT_TRUE(draw_points(0, generator).empty());
}

}  // namespace
}  // namespace heed::data
