// Arrays at their bounds: the last axis that exists, the first that does not, and what each says.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "../../core/array.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Array counted(const Shape& shape) {
  Numbers values(static_cast<std::size_t>(shape.numel()));
  std::iota(values.begin(), values.end(), 0.0);
  return Array::from(values, shape);
}

TEST(ArrayEdges, AxesOfViewsCountFromTheEnd) {
  const Array x = counted({2, 3, 5});
  EXPECT_EQ(x.transpose(-1, 0).shape(), (Shape{5, 3, 2}));
  EXPECT_EQ(x.transpose(0, -2).to_vector<double>(), x.transpose(0, 1).to_vector<double>());
  EXPECT_EQ(x.permute({-1, 0, -2}).shape(), (Shape{5, 2, 3}));
  EXPECT_EQ(x.slice(-2, 1, 3).shape(), (Shape{2, 2, 5}));
  EXPECT_EQ(x.select(-1, 4).to_vector<double>(), (Numbers{4, 9, 14, 19, 24, 29}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), (Shape{2, 3, 5, 1}));
  EXPECT_EQ(x.unsqueeze(3).shape(), (Shape{2, 3, 5, 1}));
  EXPECT_EQ(x.unsqueeze(-4).shape(), (Shape{1, 2, 3, 5}));
  EXPECT_EQ(x.unsqueeze(1).squeeze(-3).shape(), (Shape{2, 3, 5}));
  EXPECT_EQ(x.size(-3), 2);
}

TEST(ArrayEdges, AxesOutOfRangeAreNamedByTheView) {
  const Array x = counted({2, 3, 5});
  EXPECT_ERROR(ShapeError, "transpose: axis 3 is out of range for rank 3", x.transpose(3, 0));
  EXPECT_ERROR(ShapeError, "transpose: axis -4 is out of range for rank 3", x.transpose(0, -4));
  EXPECT_ERROR(ShapeError, "permute: axis 3 is out of range for rank 3", x.permute({0, 1, 3}));
  EXPECT_ERROR(ShapeError, "permute: axis 1 is named twice", x.permute({0, 1, -2}));
  EXPECT_ERROR(ShapeError, "permute: 2 axes given for rank 3", x.permute({0, 1}));
  EXPECT_ERROR(ShapeError, "permute: 4 axes given for rank 3", x.permute({0, 1, 2, 2}));
  EXPECT_ERROR(ShapeError, "slice: axis 3 is out of range for rank 3", x.slice(3, 0, 1));
  EXPECT_ERROR(ShapeError, "select: axis 3 is out of range for rank 3", x.select(3, 0));
  EXPECT_ERROR(ShapeError, "squeeze: axis 3 is out of range for rank 3", x.squeeze(3));
  EXPECT_ERROR(ShapeError, "squeeze: axis 1 of f64[2, 3, 5] is not 1", x.squeeze(1));
  EXPECT_ERROR(ShapeError, "unsqueeze: axis 4 is out of range for rank 4", x.unsqueeze(4));
  EXPECT_ERROR(ShapeError, "unsqueeze: axis -5 is out of range for rank 4", x.unsqueeze(-5));
}

TEST(ArrayEdges, SelectsTheFirstAndTheLast) {
  const Array x = counted({3, 5});
  EXPECT_EQ(x.select(0, -3).to_vector<double>(), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(x.select(1, -1).to_vector<double>(), (Numbers{4, 9, 14}));
  EXPECT_EQ(x.select(0, 2).select(0, 4).item(), 14);
  EXPECT_ERROR(IndexError, "select: index -4 is out of range for axis 0 of f64[3, 5]",
               x.select(0, -4));
  EXPECT_THROW(x.select(0, 3), IndexError);
  EXPECT_THROW(counted({3, 0}).select(1, 0), IndexError);
  EXPECT_EQ(counted({3, 0}).select(0, 2).shape(), (Shape{0}));
}

TEST(ArrayEdges, SlicesKeepTheirStepWhereOneIsLeft) {
  const Array x = counted({7, 2});
  EXPECT_EQ(x.slice(0, 2, 3, 4).strides(), (Strides{2, 1}));
  EXPECT_EQ(x.slice(0, 1, 7, 3).strides(), (Strides{6, 1}));
  EXPECT_EQ(x.slice(0, 1, 7, 3).to_vector<double>(), (Numbers{2, 3, 8, 9}));
  EXPECT_EQ(x.slice(0, 7, 7).shape(), (Shape{0, 2}));
  EXPECT_EQ(x.slice(0, 7, 9).raw(), x.raw()) << "of nothing: no place behind the end";
  EXPECT_EQ(x.slice(0, 1, 3).raw(), x.raw() + 2 * sizeof(double));
  EXPECT_ERROR(ValueError, "slice: step -1 must be positive", x.slice(0, 0, 7, -1));
}

TEST(ArrayEdges, ReshapesFillOneHole) {
  const Array x = counted({2, 3, 5});
  EXPECT_EQ(x.reshape({5, -1}).shape(), (Shape{5, 6}));
  EXPECT_EQ(x.reshape({-1}).shape(), (Shape{30}));
  EXPECT_EQ(x.reshape({2, -1, 3, 5}).shape(), (Shape{2, 1, 3, 5}));
  EXPECT_ERROR(ShapeError, "reshape: 30 elements of shape [2, 3, 5] do not fill [7, -1]",
               x.reshape({7, -1}));
  EXPECT_ERROR(ShapeError, "reshape: 30 elements of shape [2, 3, 5] do not fill [2, 3]",
               x.reshape({2, 3}));
  EXPECT_ERROR(ShapeError, "view: 30 elements of shape [2, 3, 5] do not fill [0, -1]",
               x.view({0, -1}));
  EXPECT_ERROR(ShapeError,
               "reshape: only one size may be -1, which stands for what is left: [-1, 3, -1]",
               x.reshape({-1, 3, -1}));
  EXPECT_THROW(x.reshape({-2, 15}), ShapeError);
  EXPECT_THROW(x.reshape({-2, -15}), ShapeError);
  EXPECT_EQ(counted({0, 3}).reshape({-1, 3}).shape(), (Shape{0, 3}));
  EXPECT_THROW(counted({0, 3}).reshape({-1, 0}), ShapeError) << "any number would do";
}

TEST(ArrayEdges, ViewsNeverCopy) {
  const Array x = counted({3, 5});
  EXPECT_TRUE(x.view({5, 3}).shares_storage(x));
  const Array turned = x.transpose(0, 1);
  EXPECT_TRUE(turned.view({5, 3, 1}).shares_storage(x));
  EXPECT_EQ(turned.view({5, 1, 3}).to_vector<double>(), turned.to_vector<double>());
  EXPECT_TRUE(turned.reshape({1, 5, 3}).shares_storage(x));
  EXPECT_ERROR(ShapeError,
               "view: f64[5, 3] with strides [1, 5] has no view of shape [15]; reshape copies",
               turned.view({-1}));
  EXPECT_EQ(turned.reshape({-1}).to_vector<double>(), turned.to_vector<double>());
}

TEST(ArrayEdges, ExpandsWhatBroadcasts) {
  const Array x = counted({3, 1});
  EXPECT_EQ(x.expand({2, 3, 2}).strides(), (Strides{0, 1, 0}));
  EXPECT_EQ(x.expand({3, 2}).to_vector<double>(), (Numbers{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(x.expand({3, 0}).numel(), 0);
  EXPECT_TRUE(x.expand({3, 1}).is_contiguous());
  EXPECT_ERROR(ShapeError, "expand: f64[3, 1] does not broadcast to [5, 2]", x.expand({5, 2}));
  EXPECT_ERROR(ShapeError, "expand: f64[3, 1] does not broadcast to [3]", x.expand({3}));
  EXPECT_ERROR(ShapeError, "expand: f64[3, 1] does not broadcast to [3, 1, 2]",
               x.expand({3, 1, 2}));
  EXPECT_ERROR(ShapeError, "expand: a size of [3, -1] is negative", x.expand({3, -1}));
}

TEST(ArrayEdges, AreContiguousWhereStepsDoNotMatter) {
  const Array x = counted({2, 3, 5});
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_FALSE(x.transpose(0, 1).is_contiguous());
  EXPECT_FALSE(x.slice(2, 0, 4).is_contiguous());
  EXPECT_TRUE(x.slice(0, 1, 2).is_contiguous());
  EXPECT_TRUE(x.slice(1, 0, 1).slice(0, 0, 1).is_contiguous());
  EXPECT_TRUE(x.slice(2, 2, 2).transpose(0, 2).is_contiguous()) << "nothing in it";
  EXPECT_TRUE(counted({3, 1, 5}).transpose(0, 1).is_contiguous());
  EXPECT_FALSE(counted({1}).expand({3}).is_contiguous());
  EXPECT_TRUE(x.contiguous().shares_storage(x));
  EXPECT_FALSE(x.transpose(0, 1).contiguous().shares_storage(x));
}

TEST(ArrayEdges, AnUndefinedOneIsNothing) {
  Array none;
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(none.rank(), 0);
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(none.dtype(), DType::f32);
  EXPECT_TRUE(none.is_contiguous());
  EXPECT_EQ(none.raw(), nullptr);
  EXPECT_EQ(none.storage(), nullptr);
  none.bump_version();
  EXPECT_EQ(none.version(), 0U);
  EXPECT_FALSE(none.unique());
  EXPECT_FALSE(none.exposed());
  EXPECT_EQ(describe(none), "undefined");
  EXPECT_ERROR(DTypeError, "array: asked for f32 of undefined", none.mutable_data<float>());
}

TEST(ArrayEdges, HasOneElementOfAnyType) {
  EXPECT_EQ(Array::full({1, 1}, 2.5, DType::f32).item(), 2.5);
  EXPECT_EQ(Array::full({}, -3, DType::i64).item(), -3);
  EXPECT_EQ(Array::full({1}, 5, DType::boolean).item(), 1);
  EXPECT_EQ(Array::full({1}, 1.5, DType::bf16).item(), 1.5);
  EXPECT_ERROR(ShapeError, "item: needs exactly one element, not f32[0]",
               Array::zeros({0}, DType::f32).item());
}

TEST(ArrayEdges, HoldAsManyBytesAsNumbers) {
  EXPECT_EQ(Array::empty({3, 5}, DType::f32).storage()->bytes(), 60U);
  EXPECT_EQ(Array::empty({3, 5}, DType::bf16).storage()->bytes(), 30U);
  EXPECT_EQ(Array::empty({3, 0}, DType::f64).storage()->bytes(), 0U);
  EXPECT_EQ(Array::empty({}, DType::i64).storage()->bytes(), 8U);
  EXPECT_EQ(Array::zeros({3, 5}, DType::i64).to_vector<std::int64_t>(),
            std::vector<std::int64_t>(15, 0));
  Array x = Array::zeros({3}, DType::f64);
  EXPECT_ERROR(DTypeError, "array: asked for i64 of f64[3]", x.mutable_data<std::int64_t>());
}

TEST(ArrayEdges, AroundOthersNumbersReachToTheLastElement) {
  Numbers numbers(20);
  const auto around = [&](const Shape& shape, const Strides& strides) {
    return Array::around(
        numbers.data(), shape, strides, DType::f64, [](void*) {}, nullptr);
  };
  EXPECT_EQ(around({2, 3}, {5, 2}).storage()->bytes(), 80U);
  EXPECT_EQ(around({3}, {0}).storage()->bytes(), 8U);
  EXPECT_EQ(around({}, {}).storage()->bytes(), 8U);
  EXPECT_EQ(around({3, 0}, {-1, 7}).storage()->bytes(), 0U);
  EXPECT_TRUE(around({2, 3}, {3, 1}).is_contiguous());
  EXPECT_FALSE(around({2, 3}, {1, 2}).is_contiguous());
  EXPECT_TRUE(around({3}, {1}).exposed());
  EXPECT_FALSE(Array::zeros({3}, DType::f64).exposed());
  EXPECT_ERROR(ShapeError, "array: 1 strides for shape [2, 3]", around({2, 3}, {5}));
}

TEST(ArrayEdges, WidensBf16Alone) {
  const Array x = Array::full({3}, 1.5, DType::bf16);
  EXPECT_EQ(x.widened().dtype(), DType::f32);
  EXPECT_EQ(x.widened().to_vector<float>(), std::vector<float>(3, 1.5F));
  const Array y = counted({3});
  EXPECT_TRUE(y.widened().shares_storage(y));
}

}  // namespace
}  // namespace heed
