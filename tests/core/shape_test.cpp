#include "../../core/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

TEST(Shape, HasUpToEightAxes) {
  const std::string message = "shape: rank 9 is above the limit of 8";
  const std::vector<Index> eight = {2, 3, 5, 7, 11, 13, 17, 19};
  std::vector<Index> nine = eight;
  nine.push_back(23);
  Shape shape(eight);
  EXPECT_EQ(shape.rank(), 8);
  EXPECT_EQ(shape[7], 19);
  EXPECT_EQ(Shape::filled(8, 3), (Shape{3, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_ERROR(ShapeError, message, Shape{nine});
  EXPECT_ERROR(ShapeError, message, Shape::filled(9, 1));
  EXPECT_ERROR(ShapeError, message, shape.push_back(23));
  EXPECT_ERROR(ShapeError, message, shape.with(3, 1));
  Shape seven = shape.without(7);
  seven.push_back(29);
  EXPECT_EQ(seven, (Shape{2, 3, 5, 7, 11, 13, 17, 29}));
}

TEST(Shape, IsEqualInEveryAxisAndInTheirNumber) {
  EXPECT_TRUE((Shape{3, 5}) == (Shape{3, 5}));
  EXPECT_FALSE((Shape{3, 5}) == (Shape{2, 5}));
  EXPECT_FALSE((Shape{3, 5}) == (Shape{3, 4}));
  EXPECT_FALSE((Shape{3, 5}) == (Shape{3}));
  EXPECT_FALSE((Shape{3}) == (Shape{3, 0}));
}

TEST(Shape, CountsNegativeAxesFromTheEnd) {
  const Shape shape{3, 5, 7};
  EXPECT_EQ(shape.at(0), 3);
  EXPECT_EQ(shape.at(2), 7);
  EXPECT_EQ(shape.at(-1), 7);
  EXPECT_EQ(shape.at(-3), 3);
  EXPECT_ERROR(ShapeError, "size: axis 3 is out of range for rank 3", shape.at(3));
  EXPECT_ERROR(ShapeError, "size: axis -4 is out of range for rank 3", shape.at(-4));
  EXPECT_ERROR(ShapeError, "sum: axis 0 is out of range for rank 0", normalize_axis("sum", 0, 0));
}

TEST(Shape, LosesAndGainsAnAxisAnywhere) {
  const Shape shape{3, 5, 7};
  EXPECT_EQ(shape.without(0), (Shape{5, 7}));
  EXPECT_EQ(shape.without(1), (Shape{3, 7}));
  EXPECT_EQ(shape.without(2), (Shape{3, 5}));
  EXPECT_EQ(shape.with(0, 2), (Shape{2, 3, 5, 7}));
  EXPECT_EQ(shape.with(1, 2), (Shape{3, 2, 5, 7}));
  EXPECT_EQ(shape.with(3, 2), (Shape{3, 5, 7, 2}));
}

TEST(Shape, BroadcastsAlignedAtTheEnd) {
  EXPECT_EQ(broadcast_shapes("add", Shape{3, 1, 5}, Shape{7, 1}), (Shape{3, 7, 5}));
  EXPECT_EQ(broadcast_shapes("add", Shape{7, 1}, Shape{3, 1, 5}), (Shape{3, 7, 5}));
  EXPECT_EQ(broadcast_shapes("add", Shape{3, 1}, Shape{1, 5}), (Shape{3, 5}));
  EXPECT_EQ(broadcast_shapes("add", Shape{}, Shape{2, 0}), (Shape{2, 0}));
  EXPECT_EQ(broadcast_shapes("add", Shape{1, 0}, Shape{2, 1}), (Shape{2, 0}));
  EXPECT_ERROR(ShapeError,
               "add: shapes [3, 5] and [3] do not broadcast: 5 against 3 on axis 1 from the end",
               broadcast_shapes("add", Shape{3, 5}, Shape{3}));
  EXPECT_ERROR(ShapeError,
               "mul: shapes [2, 1] and [7, 3, 5] do not broadcast: 3 against 2 on axis 2 from the "
               "end",
               broadcast_shapes("mul", Shape{2, 1}, Shape{7, 3, 5}));
}

TEST(Shape, KnowsWhatBroadcastsToIt) {
  EXPECT_TRUE(broadcasts_to(Shape{3, 1, 5}, Shape{3, 7, 5}));
  EXPECT_TRUE(broadcasts_to(Shape{5}, Shape{3, 7, 5}));
  EXPECT_TRUE(broadcasts_to(Shape{}, Shape{2, 0}));
  EXPECT_FALSE(broadcasts_to(Shape{3, 7, 5}, Shape{3, 1, 5}));
  EXPECT_FALSE(broadcasts_to(Shape{3}, Shape{3, 7, 5}));
  EXPECT_FALSE(broadcasts_to(Shape{1, 3}, Shape{3})) << "of more axes";
}

TEST(Shape, EndsTheProgramOutsideItsAxesWhereContainersDo) {
#ifdef _GLIBCXX_ASSERTIONS
  Shape shape{3, 5};
  EXPECT_DEATH(shape[2] = 7, "heed: axis 2 of \\[3, 5\\], which has 2");
  EXPECT_DEATH(shape.push_back(std::as_const(shape)[-1]), "heed: axis -1 of");
#else
  GTEST_SKIP() << "compiled without the standard library's assertions";
#endif
}

TEST(Shape, NumelIsChecked) {
  const Index big = Index{1} << 40;
  EXPECT_EQ((Shape{3, 5, 7}).numel(), 105);
  EXPECT_EQ(Shape{}.numel(), 1);
  EXPECT_ERROR(ShapeError,
               "shape: the number of elements of [1099511627776, 1099511627776] overflows 64 bits",
               Shape({big, big}).numel());
  EXPECT_EQ((Shape{big, big, 0}).numel(), 0);
  EXPECT_EQ((Shape{0, big, big}).numel(), 0);
}

TEST(Shape, SizesAreNotNegative) {
  EXPECT_EQ(check_sizes("zeros", Shape{3, 0, 5}), 0);
  EXPECT_EQ(check_sizes("zeros", Shape{3, 5}), 15);
  EXPECT_ERROR(ShapeError, "zeros: a size of [3, -1] is negative",
               check_sizes("zeros", Shape{3, -1}));
}

TEST(Shape, ProductsAndSumsOfSizesAreChecked) {
  EXPECT_EQ(checked_mul("pad", 7, 11), 77);
  EXPECT_EQ(checked_mul("pad", 0, 5), 0);
  EXPECT_EQ(checked_mul("pad", kMost, 1), kMost);
  EXPECT_ERROR(ShapeError, "pad: size 3 x -1 is negative or overflows 64 bits",
               checked_mul("pad", 3, -1));
  EXPECT_ERROR(ShapeError, "pad: size -1 x 3 is negative or overflows 64 bits",
               checked_mul("pad", -1, 3));
  EXPECT_THROW(checked_mul("pad", kMost, 2), ShapeError);
  EXPECT_EQ(checked_add("pad", 7, -11), -4);
  EXPECT_EQ(checked_add("pad", kMost - 1, 1), kMost);
  EXPECT_ERROR(ShapeError, "pad: sizes overflow: 9223372036854775807 + 1",
               checked_add("pad", kMost, 1));
}

TEST(Shape, RowMajorStridesPassOverEmptyAxes) {
  EXPECT_EQ(row_major(Shape{3, 5, 7}), (Strides{35, 7, 1}));
  EXPECT_EQ(row_major(Shape{2, 0, 3}), (Strides{3, 3, 1}));
  EXPECT_EQ(row_major(Shape{}), Strides{});
}

TEST(Shape, IsReadAsAVector) {
  const Shape shape{3, 5, 7};
  EXPECT_EQ(shape.size(), 3U);
  EXPECT_EQ(shape.front(), 3);
  EXPECT_EQ(shape.back(), 7);
  EXPECT_EQ(shape.vec(), (std::vector<Index>{3, 5, 7}));
  EXPECT_FALSE(shape.empty());
  EXPECT_TRUE(Shape{}.empty());
  EXPECT_THROW(Shape{}.back(), ShapeError);
}

}  // namespace
}  // namespace heed
