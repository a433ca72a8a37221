#include "../../train/believed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Array flags(const std::vector<int>& values, const Shape& shape) {
  Array out = Array::zeros(shape, DType::boolean);
  for (std::size_t i = 0; i < values.size(); ++i) out.mutable_data<bool>()[i] = values[i] != 0;
  return out;
}
Array numbers_of(const std::vector<double>& values, const Shape& shape) {
  return Array::from(values, shape);
}

TEST(PointingGame, CountsTheLargestThatAreEvidence) {
  const Array map = numbers_of({1, 3, 2, 5, 4, 4, std::nan(""), 0, -1}, {3, 3});
  EXPECT_DOUBLE_EQ(pointing_game(map, flags({0, 1, 0, 0, 1, 1, 0, 1, 0}, {3, 3})), 2.0 / 3);
  // An example without evidence counts for nothing; of equal ones each its share.
  EXPECT_DOUBLE_EQ(pointing_game(map, flags({0, 0, 0, 1, 0, 0, 0, 0, 0}, {3, 3})), 1);
  EXPECT_DOUBLE_EQ(pointing_game(numbers_of({2, 2, 2, 1}, {1, 4}), flags({1, 0, 1, 0}, {1, 4})),
                   2.0 / 3);
  EXPECT_EQ(pointing_game(map, flags({}, {3, 3})), 0);
}

// A model that is as sure as it sees of its two examples' evidence: places 0 and 4.
std::vector<double> sure(const Array& there) {
  const auto seen = there.to_vector<bool>();
  return {seen[0] ? 1.0 : 0.0, seen[5] ? 1.0 : 0.25};
}

TEST(Curves, FallAndRiseByTheMapsOrder) {
  const Array map = numbers_of({9, 5, 4, 1, 6, 2, 3, 8}, {2, 4});
  EXPECT_THAT(deletion_curve(map, sure, 4), ElementsAre(1, 0.5, 0.5, 0.5, 0.125));
  EXPECT_THAT(insertion_curve(map, sure, 4), ElementsAre(0.125, 0.625, 0.625, 0.625, 1));
  // Coarser steps, and places that are not there.
  EXPECT_THAT(deletion_curve(map, sure, 1), ElementsAre(1, 0.125));
  const Array real = flags({1, 1, 0, 0, 1, 1, 0, 0}, {2, 4});
  EXPECT_THAT(deletion_curve(map, sure, 2, &real), ElementsAre(1, 0.5, 0.125));
  EXPECT_DOUBLE_EQ(area_under({1, 0.5, 0}), 0.5);
  EXPECT_DOUBLE_EQ(area_under({0, 1}), 0.5);
}

TEST(Believed, RefusesWhatDoesNotFit) {
  const Array map = numbers_of({1, 2, 3, 4}, {2, 2});
  EXPECT_ERROR(ShapeError, "pointing_game: evidence must be bool[2, 2], not bool[4]",
               pointing_game(map, flags({}, {4})));
  EXPECT_ERROR(ShapeError, "pointing_game: evidence must be bool[2, 2], not f64[2, 2]",
               pointing_game(map, map));
  EXPECT_ERROR(ShapeError, "pointing_game: the map must be [B, N], not f64[4]",
               pointing_game(numbers_of({1, 2, 3, 4}, {4}), flags({}, {4})));
  EXPECT_ERROR(DTypeError, "pointing_game: the map must be f32 or f64, not bool",
               pointing_game(flags({}, {2, 2}), flags({}, {2, 2})));
  EXPECT_ERROR(ValueError, "deletion_curve: steps 0 must be positive",
               deletion_curve(map, sure, 0));
  EXPECT_ERROR(ValueError, "insertion_curve: the model answers for 1 examples of 2",
               insertion_curve(
                   map, [](const Array&) { return std::vector{1.0}; }, 2));
  EXPECT_ERROR(ValueError, "area_under: 1 points are no curve", area_under({1}));
}

}  // namespace
}  // namespace heed::train
