#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"
#include "between.h"

namespace heed::onnx {
namespace {

using OnnxResize = SeededTest<52>;

std::vector<Attribute> how(const char* mode, const char* meets, const char* rounds = "floor") {
  return {{"mode", std::string(mode)},
          {"coordinate_transformation_mode", std::string(meets)},
          {"nearest_mode", std::string(rounds)}};
}

TEST_F(OnnxResize, NearestAndLinear) {
  const Tensor x = random({2, 3, 5, 7});
  const std::vector<Attribute> nearest = {
      {"mode", std::string("nearest")},
      {"coordinate_transformation_mode", std::string("asymmetric")},
      {"nearest_mode", std::string("floor")}};
  const Tensor wanted = made({2, 3, 10, 21}, [&](const Place& p) {
    return at(x, {p[0], p[1], p[2] / 2, p[3] / 3});
  });
  const Tensor scales = tensor({1.0, 1.0, 2.0, 3.0});
  EXPECT_EQ(difference(OneNode{"Resize", nearest}(x, Tensor(), scales), wanted), 0);
  EXPECT_EQ(
      difference(OneNode{"Resize", nearest}(x, Tensor(), Tensor(), ints({2, 3, 10, 21})), wanted),
      0);
  EXPECT_EQ(
      difference(OneNode{"Resize", {{"mode", std::string("nearest")}}, 10}(x, scales), wanted), 0);
  EXPECT_EQ(
      difference(OneNode{"Upsample", {{"mode", std::string("nearest")}}, 9}(x, scales), wanted), 0);
  const Tensor corners =
      OneNode{"Resize",
              {{"mode", std::string("linear")},
               {"coordinate_transformation_mode", std::string("align_corners")}}}(
          x, Tensor(), Tensor(), ints({2, 3, 9, 13}));
  EXPECT_LT(difference(corners, made({2, 3, 9, 13},
                                     [&](const Place& p) {
                                       return between(x, p[0], p[1], static_cast<double>(p[2]) / 2,
                                                      static_cast<double>(p[3]) / 2, true);
                                     })),
            1e-13);
  EXPECT_ERROR_WITH(
      FormatError,
      "nearest with coordinates half_pixel, rounded by round_prefer_floor, is not supported",
      OneNode{"Resize"}(x, Tensor(), scales));
  EXPECT_ERROR_WITH(FormatError, "attribute mode = \"cubic\" is not supported",
                    (OneNode{"Resize", {{"mode", std::string("cubic")}}}(x, Tensor(), scales)));
  EXPECT_ERROR_WITH(ShapeError, "sizes must be those of",
                    OneNode{"Resize", nearest}(x, Tensor(), tensor({2.0, 1.0, 2.0, 3.0})));
  EXPECT_ERROR_WITH(ValueError, "a scale that is not a positive number",
                    OneNode{"Resize", nearest}(x, Tensor(), tensor({1.0, 1.0, -2.0, 3.0})));
}

// 5 places by 0.7 are 3, and 1 / 0.7 apart, not 5 / 3.
TEST_F(OnnxResize, ScalesSayHowFarPlacesAreApart) {
  const Tensor x = random({2, 3, 5, 7}), scales = tensor({1.0, 1.0, 0.7, 1.5});
  const Tensor nearest = OneNode{"Resize", how("nearest", "asymmetric")}(x, Tensor(), scales);
  EXPECT_EQ(difference(nearest, made({2, 3, 3, 10},
                                     [&](const Place& p) {
                                       return at(x, {p[0], p[1], p[2], 2 * p[3] / 3});
                                     })),
            0);
  for (const char* const meets : {"half_pixel", "pytorch_half_pixel"}) {
    const Tensor linear = OneNode{"Resize", how("linear", meets)}(x, Tensor(), scales);
    const auto met = [](Index i, double scale, Index size) {
      return std::clamp((static_cast<double>(i) + 0.5) / scale - 0.5, 0.0,
                        static_cast<double>(size - 1));
    };
    EXPECT_LT(difference(linear, made({2, 3, 3, 10},
                                      [&](const Place& p) {
                                        return between(x, p[0], p[1],
                                                       met(p[2], static_cast<double>(0.7F), 5),
                                                       met(p[3], 1.5, 7), true);
                                      })),
              1e-12);
  }
}

// A scale is a number in f32: 2 / (2 / 3) is 3 there, 10 places by 0.7 are 7.
TEST_F(OnnxResize, ScalesAreNumbersInF32) {
  const Tensor x = random({1, 1, 10});
  const OneNode node{
      .op = "Resize", .attributes = how("nearest", "asymmetric"), .ours_alone = true};
  EXPECT_EQ(node(x, Tensor(), tensor({1.0, 1.0, 0.7})).size(2), 7);
  const Tensor third = node(x, Tensor(), tensor({1.0, 1.0, 2.0 / 3}));
  EXPECT_EQ(difference(third, made({1, 1, 6},
                                   [&](const Place& p) {
                                     return at(x, {0, 0, 3 * p[2] / 2});
                                   })),
            0);
}

TEST_F(OnnxResize, OnePlaceOfPyTorchsIsTheFirst) {
  const Tensor x = random({2, 3, 5, 7}), sizes = ints({2, 3, 1, 7});
  const auto row = [&](const char* meets, Index at_row) {
    return difference(OneNode{"Resize", how("linear", meets)}(x, Tensor(), Tensor(), sizes),
                      made({2, 3, 1, 7}, [&](const Place& p) {
                        return at(x, {p[0], p[1], at_row, p[3]});
                      }));
  };
  EXPECT_LT(row("pytorch_half_pixel", 0), 1e-13);
  EXPECT_LT(row("half_pixel", 2), 1e-13);
}

TEST_F(OnnxResize, AsksForAllItsMemoryAtOnce) {
  const OneNode node{
      .op = "Resize", .attributes = how("nearest", "asymmetric"), .ours_alone = true};
  EXPECT_THROW(node(random({1, 1, 3}), Tensor(), tensor({1.0, 1.0, 3e14})), OutOfMemory);
  EXPECT_ERROR_WITH(ShapeError, "Resize \"y0\"",
                    node(random({1, 1, 3, 2}), Tensor(), tensor({1.0, 1.0, 1e14, 1e14})));
  EXPECT_ERROR_WITH(ShapeError, "Resize \"y0\": 0 places of an axis of 3",
                    node(random({1, 1, 3}), Tensor(), tensor({1.0, 1.0, 0.1})));
}

}  // namespace
}  // namespace heed::onnx
