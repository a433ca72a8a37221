// What NumPy 1.24 prints of the same numbers; where it writes dtype=float32 we write nothing, where
// it leaves float64 out we write dtype=f64.
#include "../../core/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Array f64(const std::vector<double>& values, const Shape& shape) {
  return Array::from(values, shape);
}
Array f64(const std::vector<double>& values) { return Array::from(values); }
Array f32(const std::vector<double>& values) { return f64(values).to(DType::f32); }
Array counted(const Shape& shape, DType dtype) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return f64(values, shape).to(dtype);
}

TEST(Print, AlignsColumns) {
  EXPECT_EQ(to_string(f64({1, 2.5, -3, 0}, {2, 2})),
            "array([[ 1. ,  2.5],\n"
            "       [-3. ,  0. ]], dtype=f64)");
  EXPECT_EQ(to_string(f64({1, 2.25, -3, 0.5}, {2, 2}).to(DType::f32)),
            "array([[ 1.  ,  2.25],\n"
            "       [-3.  ,  0.5 ]])");
  EXPECT_EQ(to_string(counted({5, 1}, DType::f32)),
            "array([[0.],\n       [1.],\n       [2.],\n       [3.],\n       [4.]])");
  EXPECT_EQ(to_string(f64({2.5}, {}).to(DType::f32)), "array(2.5)");
  EXPECT_EQ(to_string(f64({3}, {}).to(DType::f32)), "array(3.)");
}

TEST(Print, TakesTheDigitsThatTellNumbersApart) {
  EXPECT_EQ(to_string(f32({0.1, 0.25, 1.0 / 3})), "array([0.1       , 0.25      , 0.33333334])");
  EXPECT_EQ(to_string(f64({0.1, 0.25, 1.0 / 3})),
            "array([0.1       , 0.25      , 0.33333333], dtype=f64)");
  EXPECT_EQ(to_string(f64({0.123456789123, 2})), "array([0.12345679, 2.        ], dtype=f64)");
  EXPECT_EQ(to_string(f64({0.999999999, 1.5})), "array([1. , 1.5], dtype=f64)");
  EXPECT_EQ(to_string(f32({16777217, 99999992})), "array([16777216., 99999992.])");
  EXPECT_EQ(to_string(f64({0.0, -0.0})), "array([ 0., -0.], dtype=f64)");
}

TEST(Print, WritesExponentsWhereNumbersAreFarApart) {
  EXPECT_EQ(to_string(f64({1e-10, 1.5})), "array([1.0e-10, 1.5e+00], dtype=f64)");
  EXPECT_EQ(to_string(f64({1e100, 1e5, -2.5})),
            "array([ 1.0e+100,  1.0e+005, -2.5e+000], dtype=f64)");
  EXPECT_EQ(to_string(f64({123456789, 1})), "array([1.23456789e+08, 1.00000000e+00], dtype=f64)");
  EXPECT_EQ(to_string(f32({1e8, 1})), "array([1.e+08, 1.e+00])");
  EXPECT_EQ(to_string(f64({0.001, 1})), "array([0.001, 1.   ], dtype=f64)");
  EXPECT_EQ(to_string(f64({0.001, 1.001})), "array([1.000e-03, 1.001e+00], dtype=f64)");
  EXPECT_EQ(to_string(f64({12345.678, 0.5})), "array([1.2345678e+04, 5.0000000e-01], dtype=f64)");
  EXPECT_EQ(to_string(f64({5e-324, 1})), "array([5.e-324, 1.e+000], dtype=f64)");
  EXPECT_EQ(to_string(f32({1e-5})), "array([1.e-05])");
}

TEST(Print, HasRoomForWhatIsNotFinite) {
  EXPECT_EQ(to_string(f64({kNan, 1.5, -kInf, kInf})), "array([ nan,  1.5, -inf,  inf], dtype=f64)");
  EXPECT_EQ(to_string(f32({kNan, kNan})), "array([nan, nan])");
  EXPECT_EQ(to_string(f32({kInf, -1})), "array([inf, -1.])");
  EXPECT_EQ(to_string(f64({-kInf, kNan})), "array([-inf,  nan], dtype=f64)");
}

TEST(Print, ShowsIntegersAndBooleans) {
  EXPECT_EQ(to_string(f64({1, -20, 300, 4}, {2, 2}).to(DType::i64)),
            "array([[  1, -20],\n       [300,   4]])");
  EXPECT_EQ(to_string(Array::from(std::vector<std::int64_t>{INT64_MAX, INT64_MIN})),
            "array([ 9223372036854775807, -9223372036854775808])");
  EXPECT_EQ(to_string(f64({1, 0, 0, 0}, {2, 2}).to(DType::boolean)),
            "array([[ True, False],\n       [False, False]])");
  EXPECT_EQ(to_string(f64({1, 1}).to(DType::boolean)), "array([ True,  True])");
  EXPECT_EQ(to_string(f64({1}, {}).to(DType::boolean)), "array(True)");
}

TEST(Print, StacksBlocks) {
  EXPECT_EQ(to_string(counted({2, 3, 4}, DType::i64)),
            "array([[[ 0,  1,  2,  3],\n"
            "        [ 4,  5,  6,  7],\n"
            "        [ 8,  9, 10, 11]],\n"
            "\n"
            "       [[12, 13, 14, 15],\n"
            "        [16, 17, 18, 19],\n"
            "        [20, 21, 22, 23]]])");
  EXPECT_EQ(to_string(counted({2, 1, 2, 2}, DType::f32)),
            "array([[[[0., 1.],\n"
            "         [2., 3.]]],\n"
            "\n"
            "\n"
            "       [[[4., 5.],\n"
            "         [6., 7.]]]])");
}

TEST(Print, GoesOnOnTheNextLine) {
  EXPECT_EQ(to_string(counted({30}, DType::i64)),
            "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
            "       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])");
  std::vector<double> steps(13);
  for (std::size_t i = 0; i < 13; ++i) steps[i] = -1 + static_cast<double>(i) / 6;
  steps[6] = 0;
  EXPECT_EQ(to_string(f64(steps, {1, 13})),
            "array([[-1.        , -0.83333333, -0.66666667, -0.5       , -0.33333333,\n"
            "        -0.16666667,  0.        ,  0.16666667,  0.33333333,  0.5       ,\n"
            "         0.66666667,  0.83333333,  1.        ]], dtype=f64)");
  std::vector<double> tenths(11);
  for (std::size_t i = 0; i < 11; ++i) tenths[i] = static_cast<double>(i) / 10;
  // As NumPy does for dtype=float32.
  EXPECT_EQ(to_string(f64(tenths), {.width = 72}),
            "array([0. , 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. ],\n"
            "      dtype=f64)");
}

// Shapes as NumPy 2.2 has them there.
TEST(Print, CutsLongAxes) {
  EXPECT_EQ(to_string(counted({1000}, DType::i64)).find("..."), std::string::npos);
  EXPECT_EQ(to_string(counted({2000}, DType::i64)),
            "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=[2000])");
  EXPECT_EQ(to_string(counted({1001, 2}, DType::f64)),
            "array([[0.000e+00, 1.000e+00],\n"
            "       [2.000e+00, 3.000e+00],\n"
            "       [4.000e+00, 5.000e+00],\n"
            "       ...,\n"
            "       [1.996e+03, 1.997e+03],\n"
            "       [1.998e+03, 1.999e+03],\n"
            "       [2.000e+03, 2.001e+03]], shape=[1001, 2], dtype=f64)");
  EXPECT_EQ(to_string(counted({3, 1001}, DType::i64)),
            "array([[   0,    1,    2, ...,  998,  999, 1000],\n"
            "       [1001, 1002, 1003, ..., 1999, 2000, 2001],\n"
            "       [2002, 2003, 2004, ..., 3000, 3001, 3002]], shape=[3, 1001])");
  const std::string block = to_string(counted({8, 9, 20}, DType::i64));
  const std::string begin =
      "array([[[   0,    1,    2, ...,   17,   18,   19],\n"
      "        [  20,   21,   22, ...,   37,   38,   39],\n"
      "        [  40,   41,   42, ...,   57,   58,   59],\n"
      "        ...,\n"
      "        [ 120,  121,  122, ...,  137,  138,  139],\n";
  EXPECT_EQ(block.substr(0, begin.size()), begin);
  EXPECT_NE(block.find("539]],\n\n       ...,\n\n       [[ 900,"), std::string::npos);
}

TEST(Print, SaysWhatIsEmptyOrUndefined) {
  EXPECT_EQ(to_string(Array::zeros({0, 3}, DType::f32)), "array([], shape=[0, 3])");
  EXPECT_EQ(to_string(Array::zeros({0}, DType::f64)), "array([], dtype=f64)");
  EXPECT_EQ(to_string(Array::zeros({2, 0}, DType::i64)), "array([], shape=[2, 0], dtype=i64)");
  EXPECT_EQ(to_string(Array()), "undefined");
}

TEST(Print, ReadsAnyStrides) {
  EXPECT_EQ(to_string(counted({2, 3}, DType::f32).transpose(0, 1)),
            "array([[0., 3.],\n       [1., 4.],\n       [2., 5.]])");
  EXPECT_EQ(to_string(Array::full({}, 7, DType::i64).expand({2, 2})),
            "array([[7, 7],\n       [7, 7]])");
}

TEST(Print, TakesOptions) {
  const Array x = f64({1.23456, 22.5});
  EXPECT_EQ(to_string(x, {.precision = 2}), "array([ 1.23, 22.5 ], dtype=f64)");
  EXPECT_EQ(to_string(x, {.precision = 0}), "array([ 1., 22.], dtype=f64)");
  EXPECT_EQ(to_string(counted({5}, DType::i64), {.threshold = 4, .edge = 1}),
            "array([0, ..., 4], shape=[5])");
  EXPECT_EQ(to_string(counted({5}, DType::i64), {.threshold = 4, .edge = 0}),
            "array([...], shape=[5])");
  EXPECT_EQ(to_string(counted({3}, DType::i64), {.width = 1}), "array([0,\n       1,\n       2])");
  EXPECT_ERROR(ValueError,
               "to_string: precision -1 must be in [0, 32], edge 3 and threshold 1000 not "
               "negative, width 75 positive",
               to_string(x, {.precision = -1}));
}

TEST(Print, GoesIntoStreams) {
  std::ostringstream out;
  out << counted({2}, DType::i64) << ' ' << Shape{2, 3};
  EXPECT_EQ(out.str(), "array([0, 1]) [2, 3]");
}

TEST(Print, DefaultsAreNumPys) {
  const PrintOptions said{.precision = 8, .threshold = 1000, .edge = 3, .width = 75};
  for (const Array& x : {counted({1000}, DType::f32), counted({1001}, DType::f32),
                         f64({1.0 / 3, 2.0 / 3}), counted({5, 40}, DType::i64)}) {
    EXPECT_EQ(to_string(x), to_string(x, said));
  }
}

TEST(Print, CutsOnlyWhatIsLongerThanBothItsEdges) {
  EXPECT_EQ(to_string(counted({6}, DType::i64), {.threshold = 5}),
            "array([0, 1, 2, 3, 4, 5], shape=[6])");
  EXPECT_EQ(to_string(counted({7}, DType::i64), {.threshold = 5}),
            "array([0, 1, 2, ..., 4, 5, 6], shape=[7])");
  EXPECT_EQ(to_string(counted({7}, DType::i64), {.threshold = 7}), "array([0, 1, 2, 3, 4, 5, 6])");
}

// Columns are as wide as what is shown, also beside axes that are not cut.
TEST(Print, WhatIsLeftOutTakesNoRoom) {
  const Array wide = f64({1, 2, 3, 4, -100000, 6, 7, 8, 9}).to(DType::i64);
  EXPECT_EQ(to_string(wide, {.threshold = 5}), "array([1, 2, 3, ..., 7, 8, 9], shape=[9])");
  EXPECT_EQ(to_string(wide.slice(0, 1, 8), {.threshold = 5}),
            "array([2, 3, 4, ..., 6, 7, 8], shape=[7])");
  EXPECT_EQ(to_string(wide.slice(0, 0, 8).view({4, 2}), {.threshold = 5}),
            "array([[      1,       2],\n"
            "       [      3,       4],\n"
            "       [-100000,       6],\n"
            "       [      7,       8]], shape=[4, 2])");
}

TEST(Print, OptionsReachToTheirBounds) {
  const Array x = f64({0.5, 2});
  EXPECT_EQ(to_string(x, {.precision = 32}), "array([0.5, 2. ], dtype=f64)");
  EXPECT_THROW(to_string(x, {.precision = 33}), ValueError);
  EXPECT_THROW(to_string(x, {.edge = -1}), ValueError);
  EXPECT_THROW(to_string(x, {.threshold = -1}), ValueError);
  EXPECT_THROW(to_string(x, {.width = 0}), ValueError);
  EXPECT_NO_THROW(to_string(x, {.threshold = 0}));
}

TEST(Print, WritesExponentsFromAThousandTimesAnd1e8On) {
  EXPECT_EQ(to_string(f64({0.0001})), "array([0.0001], dtype=f64)");
  EXPECT_EQ(to_string(f64({0.000099})), "array([9.9e-05], dtype=f64)");
  EXPECT_EQ(to_string(f64({99999999})), "array([99999999.], dtype=f64)");
  EXPECT_EQ(to_string(f64({100000000})), "array([1.e+08], dtype=f64)");
  EXPECT_EQ(to_string(f64({0, 1000, -1})), "array([   0., 1000.,   -1.], dtype=f64)");
  EXPECT_EQ(to_string(f64({0, 1001, -1})),
            "array([ 0.000e+00,  1.001e+03, -1.000e+00], dtype=f64)");
}

}  // namespace
}  // namespace heed
