#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../core/shape.h"

namespace heed {
namespace {

TEST(Shape, BroadcastsAlignedAtTheEnd) {
  EXPECT_EQ(broadcast_shapes("add", Shape{3, 1, 5}, Shape{7, 1}), (Shape{3, 7, 5}));
  EXPECT_EQ(broadcast_shapes("add", Shape{}, Shape{2, 0}), (Shape{2, 0}));
  EXPECT_THROW(broadcast_shapes("add", Shape{3, 5}, Shape{3}), ShapeError);
}

TEST(Shape, NumelIsChecked) {
  EXPECT_EQ((Shape{3, 5, 7}).numel(), 105);
  EXPECT_EQ(Shape{}.numel(), 1);
  EXPECT_THROW((Shape{Index{1} << 40, Index{1} << 40}).numel(), ShapeError);
  EXPECT_EQ((Shape{Index{1} << 40, Index{1} << 40, 0}).numel(), 0);
}

}  // namespace
}  // namespace heed
