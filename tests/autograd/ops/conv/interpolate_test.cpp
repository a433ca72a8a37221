#include "../../../../autograd/ops/conv/interpolate.h"

#include <gtest/gtest.h>

#include "../../../../autograd/factories.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"

namespace heed {
namespace {

TEST(Interpolate, AsksForAllItsMemoryAtOnce) {
  for (const Interpolation mode : {Interpolation::nearest, Interpolation::linear}) {
    EXPECT_THROW(interpolate(zeros({1, 1, 3}), {.scale = 1e15, .mode = mode}), OutOfMemory);
    EXPECT_THROW(
        interpolate(zeros({2, 3, 5, 7}), {.size = PerAxis{Index{1} << 52, 11}, .mode = mode}),
        OutOfMemory);
    EXPECT_ERROR_WITH(ShapeError, "elements of [2, 3, 5000000000, 7000000000] overflows 64 bits",
                      interpolate(zeros({2, 3, 5, 7}), {.scale = 1e9, .mode = mode}));
  }
}

TEST(Interpolate, NearestAlignsNoCorners) {
  EXPECT_ERROR(ValueError, "interpolate: align_corners is of linear, and the mode is nearest",
               interpolate(zeros({2, 3, 5}), {.scale = 2, .align_corners = true}));
}

}  // namespace
}  // namespace heed
