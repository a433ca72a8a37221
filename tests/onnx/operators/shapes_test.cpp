#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxShapes = SeededTest<35>;

// The same elements in row-major order.
void expect_same_order(const Tensor& out, const Tensor& x, const Shape& shape) {
  EXPECT_EQ(out.shape(), shape);
  EXPECT_EQ(out.to_vector<double>(), x.to_vector<double>());
}

TEST_F(OnnxShapes, Reshape) {
  const Tensor x = random({3, 5, 7});
  expect_same_order(OneNode{"Reshape"}(x, ints({5, 21})), x, {5, 21});
  expect_same_order(OneNode{"Reshape"}(x, ints({0, -1})), x, {3, 35});
  expect_same_order(OneNode{"Reshape"}(x, ints({0, 1, -1, 7})), x, {3, 1, 5, 7});
  const Tensor none(Array::empty({0, 3}, DType::f64));
  EXPECT_EQ((OneNode{"Reshape", {{"allowzero", std::int64_t{1}}}}(none, ints({5, 0}))).shape(),
            (Shape{5, 0}));
  EXPECT_ERROR_WITH(ShapeError, "Reshape \"y0\": reshape", OneNode{"Reshape"}(x, ints({4, -1})));
  EXPECT_ERROR_WITH(ShapeError, "Reshape \"y0\"", OneNode{"Reshape"}(x, ints({105, 1, 1, 0})));
  EXPECT_ERROR_WITH(DTypeError, "shape must be integers, not f64[3, 5, 7]",
                    OneNode{"Reshape"}(x, x));
  EXPECT_ERROR_WITH(ShapeError, "shape must be of rank 1, not i64[1, 1]",
                    OneNode{"Reshape"}(x, ints({1}, {1, 1})));
  EXPECT_ERROR_WITH(ShapeError, "Reshape \"y0\"", OneNode{"Reshape"}(x, ints(Ints(9, 1))));
}

TEST_F(OnnxShapes, TransposeAndFlatten) {
  const Tensor x = random({3, 5, 7});
  EXPECT_EQ(difference(OneNode{"Transpose"}(x), made({7, 5, 3},
                                                     [&](const Place& p) {
                                                       return at(x, {p[2], p[1], p[0]});
                                                     })),
            0);
  EXPECT_EQ(difference(OneNode{"Transpose", {{"perm", Ints{1, 2, 0}}}}(x),
                       made({5, 7, 3},
                            [&](const Place& p) {
                              return at(x, {p[2], p[0], p[1]});
                            })),
            0);
  expect_same_order(OneNode{"Flatten"}(x), x, {3, 35});
  expect_same_order(OneNode{"Flatten", {{"axis", std::int64_t{0}}}}(x), x, {1, 105});
  expect_same_order(OneNode{"Flatten", {{"axis", std::int64_t{-1}}}}(x), x, {15, 7});
  expect_same_order(OneNode{"Flatten", {{"axis", std::int64_t{3}}}}(x), x, {105, 1});
  EXPECT_ERROR_WITH(ShapeError, "Flatten", (OneNode{"Flatten", {{"axis", std::int64_t{4}}}}(x)));
  EXPECT_ERROR_WITH(ShapeError, "Transpose", (OneNode{"Transpose", {{"perm", Ints{0, 0, 1}}}}(x)));
}

TEST_F(OnnxShapes, SqueezeAndUnsqueezeInAnyVersion) {
  const Tensor x = random({1, 3, 1, 5});
  expect_same_order(OneNode{"Squeeze"}(x), x, {3, 5});
  expect_same_order(OneNode{"Squeeze"}(x, ints({-2})), x, {1, 3, 5});
  expect_same_order(OneNode{"Squeeze", {{"axes", Ints{0, 2}}}, 11}(x), x, {3, 5});
  const Tensor y = random({3, 5});
  expect_same_order(OneNode{"Unsqueeze"}(y, ints({-1, 0})), y, {1, 3, 5, 1});
  expect_same_order(OneNode{"Unsqueeze", {{"axes", Ints{2, 1}}}, 11}(y), y, {3, 1, 1, 5});
  EXPECT_ERROR_WITH(ShapeError, "axis 1 of f64[1, 3, 1, 5] is not of size 1",
                    OneNode{"Squeeze"}(x, ints({1})));
  EXPECT_ERROR_WITH(ShapeError, "an axis is inserted twice",
                    OneNode{"Unsqueeze"}(y, ints({0, -4})));
}

TEST_F(OnnxShapes, ExpandAndTile) {
  const Tensor x = random({3, 1, 5});
  const Tensor wanted = made({2, 3, 7, 5}, [&](const Place& p) { return at(x, {p[1], 0, p[3]}); });
  EXPECT_EQ(difference(OneNode{"Expand"}(x, ints({2, 1, 7, 1})), wanted), 0);
  EXPECT_EQ(difference(OneNode{"Expand"}(x, ints({5})), x), 0);  // what is larger already stays
  EXPECT_ERROR_WITH(ShapeError, "Expand", OneNode{"Expand"}(x, ints({3, 7, 4})));
  EXPECT_ERROR_WITH(ShapeError, "Expand", OneNode{"Expand"}(x, ints({3, -7, 5})));
  const Tensor y = random({3, 5});
  EXPECT_EQ(difference(OneNode{"Tile"}(y, ints({2, 3})), made({6, 15},
                                                              [&](const Place& p) {
                                                                return at(y, {p[0] % 3, p[1] % 5});
                                                              })),
            0);
  EXPECT_ERROR_WITH(Error, "Tile", OneNode{"Tile"}(y, ints({-2, 3})));
}

TEST_F(OnnxShapes, DepthAndSpace) {
  const Tensor x = random({2, 12, 3, 5});
  // Blocks of 2: a place (2 i + a, 2 j + b) is a channel of (i, j).
  EXPECT_EQ(
      difference(
          OneNode{"DepthToSpace", {{"blocksize", std::int64_t{2}}}}(x),
          made({2, 3, 6, 10},
               [&](const Place& p) {
                 return at(x, {p[0], (p[2] % 2 * 2 + p[3] % 2) * 3 + p[1], p[2] / 2, p[3] / 2});
               })),
      0);
  EXPECT_EQ(difference(
                OneNode{"DepthToSpace",
                        {{"blocksize", std::int64_t{2}}, {"mode", std::string("CRD")}}}(x),
                made({2, 3, 6, 10},
                     [&](const Place& p) {
                       return at(x, {p[0], p[1] * 4 + p[2] % 2 * 2 + p[3] % 2, p[2] / 2, p[3] / 2});
                     })),
            0);
  const Tensor y = random({2, 3, 6, 10});
  EXPECT_EQ(
      difference(
          OneNode{"SpaceToDepth", {{"blocksize", std::int64_t{2}}}}(y),
          made({2, 12, 3, 5},
               [&](const Place& p) {
                 return at(y, {p[0], p[1] % 3, 2 * p[2] + p[1] / 3 / 2, 2 * p[3] + p[1] / 3 % 2});
               })),
      0);
  EXPECT_ERROR_WITH(FormatError, "attribute blocksize must be positive",
                    (OneNode{"DepthToSpace", {{"blocksize", std::int64_t{0}}}}(x)));
  for (const char* const op : {"DepthToSpace", "SpaceToDepth"}) {
    for (const std::int64_t size : {std::int64_t{1} << 31, std::int64_t{1} << 32, INT64_MAX}) {
      EXPECT_ERROR_WITH(FormatError, "is too large", (OneNode{op, {{"blocksize", size}}}(x)));
    }
    EXPECT_ERROR_WITH(ShapeError, op,
                      (OneNode{op, {{"blocksize", (std::int64_t{1} << 31) - 1}}}(x)));
  }
  EXPECT_ERROR_WITH(ShapeError, "DepthToSpace",
                    (OneNode{"DepthToSpace", {{"blocksize", std::int64_t{5}}}}(x)));
}

}  // namespace
}  // namespace heed::onnx
