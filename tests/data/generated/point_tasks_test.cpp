#include "../../../data/generated/point_tasks.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

using Places = std::vector<Index>;

TEST(PointTasks, AreBatchesWithTheirAnswers) {
  const std::vector<Point> one = {{30, 0}, {10, 0}, {20, 0}};
  EXPECT_EQ(point_answer(PointTask::sort, one), (Places{1, 2, 0}));
  const PointBatch sorted = point_batch(PointTask::sort, {one, one});
  EXPECT_EQ(sorted.targets.to_vector<Index>(), (Places{1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(sorted.x.shape(), (Shape{2, 3, 2}));
  EXPECT_FLOAT_EQ(sorted.x.data<float>()[2], 10.0F / kGrid);

  // A hull ends where it began.
  const PointBatch hulls = point_batch(
      PointTask::hull, {{{0, 0}, {9, 0}, {9, 9}, {0, 9}}, {{0, 0}, {9, 0}, {0, 9}, {1, 1}}});
  EXPECT_EQ(hulls.targets.to_vector<Index>(), (Places{0, 1, 2, 3, 0, 0, 1, 2, 0, -1}));
  EXPECT_EQ(pointed_answer(PointTask::hull, {2, 0, 1, 2, 3}), (Places{2, 0, 1}));
  EXPECT_EQ(pointed_answer(PointTask::hull, {2, 0, 1}), (Places{2, 0, 1}));
  EXPECT_EQ(pointed_answer(PointTask::sort, {2, 0, 2}), (Places{2, 0, 2}));
  EXPECT_EQ(places_apart({1, 2, 3}, {1, 3}), 2U);
  EXPECT_EQ(places_apart({1, 2}, {1, 2}), 0U);
  EXPECT_EQ(places_apart({2, 1}, {1, 2, 3, 4}), 4U);
  EXPECT_EQ(pointed_answer(PointTask::hull, {}), Places{});
  EXPECT_EQ(point_answer(PointTask::sort, {{5, 0}, {5, 0}, {1, 0}, {5, 0}}), (Places{2, 0, 1, 3}));
  EXPECT_FLOAT_EQ(hulls.x.data<float>()[5], 9.0F / kGrid);  // the third point's height
}

TEST(PointTasks, AreDrawn) {
  Generator generator(3);
  const auto sorts = draw_point_problems(PointTask::sort, 5, {4, 11}, generator);
  const auto hulls = draw_point_problems(PointTask::hull, 7, {6, 6}, generator);
  ASSERT_EQ(sorts.size(), 5U);
  ASSERT_EQ(hulls.size(), 7U);
  for (const auto& each : sorts) {
    EXPECT_EQ(each.size(), sorts[0].size());
    for (const Point& point : each) EXPECT_EQ(point.y, 0);
  }
  for (const auto& each : hulls) EXPECT_EQ(each.size(), 6U);
  EXPECT_ERROR_WITH(ValueError, "points: 2, not 3 to 16384",
                    draw_point_problems(PointTask::sort, 1, {2, 2}, generator));
  EXPECT_ERROR_WITH(ValueError, "points: 16385, not 3 to 16384",
                    draw_point_problems(PointTask::sort, 1, {16385, 16385}, generator));
  EXPECT_EQ(draw_point_problems(PointTask::hull, 1, {3, 3}, generator)[0].size(), 3U);
  EXPECT_EQ(draw_point_problems(PointTask::sort, 1, {16384, 16384}, generator)[0].size(), 16384U);
}

TEST(PointTasks, AreReadFromALine) {
  std::vector<std::string> words;
  const auto points = read_points(PointTask::hull, "0,-1 2,0 1,0.5", 9, words);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(words, (std::vector<std::string>{"0,-1", "2,0", "1,0.5"}));
  EXPECT_EQ(points[0], (Point{0, 0}));
  EXPECT_EQ(points[1].x, kGrid - 1);
  EXPECT_EQ(points[1].y, (kGrid - 1) / 2);
  EXPECT_EQ(points[2].x, (kGrid - 1) / 2);
  const auto same = read_points(PointTask::sort, "5 5 5", 9, words);
  EXPECT_EQ(same[2], (Point{0, 0}));
  EXPECT_EQ(read_points(PointTask::sort, "0.125 0.375 0.25", 3, words),  // nearer than 1, too
            (std::vector<Point>{{0, 0}, {kGrid - 1, 0}, {(kGrid - 1) / 2, 0}}));
  EXPECT_EQ(read_points(PointTask::sort, "-3 1 -1", 3, words),
            (std::vector<Point>{{0, 0}, {kGrid - 1, 0}, {(kGrid - 1) / 2, 0}}));
  const auto read = [&](PointTask task, const char* line) { read_points(task, line, 3, words); };
  EXPECT_ERROR_WITH(ValueError, "points: \"x\" is no number", read(PointTask::sort, "1 x 2"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1,2\" is no number", read(PointTask::sort, "1,2"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1\" is no point x,y", read(PointTask::hull, "1"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1,\" is no point", read(PointTask::hull, "1,"));
  EXPECT_ERROR_WITH(ValueError, "points: \"inf,1\" is no point", read(PointTask::hull, "inf,1"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1,nan\" is no point", read(PointTask::hull, "1,nan"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1;2\" is no point", read(PointTask::hull, "1;2"));
  EXPECT_ERROR_WITH(ValueError, "points: \"1,2,3\" is no point", read(PointTask::hull, "1,2,3"));
  EXPECT_ERROR_WITH(ValueError, "points: 2, not 3 to 3", read(PointTask::sort, "1 2"));
  EXPECT_ERROR_WITH(ValueError, "points: 4, not 3 to 3", read(PointTask::sort, "1 2 3 4"));
  EXPECT_ERROR_WITH(ValueError, "points: they lie too far apart",
                    read(PointTask::sort, "1e308 -1e308 0"));
  EXPECT_ERROR_WITH(ValueError, "points: no problems", point_batch(PointTask::sort, {}));
  EXPECT_ERROR_WITH(ValueError, "points: no problems", point_batch(PointTask::sort, {{}}));
  EXPECT_ERROR_WITH(ValueError, "points: problems of two sizes",
                    point_batch(PointTask::sort, {{{1, 0}}, {{1, 0}, {2, 0}}}));
}

}  // namespace
}  // namespace heed::data
