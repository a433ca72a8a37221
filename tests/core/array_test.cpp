#include "../../core/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

Array counted(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  std::iota(values.begin(), values.end(), 0.0);
  return Array::from(values, shape);
}

// A view as index arithmetic sees it: the shape, and for each place the element of the source.
struct Plain {
  std::vector<Index> shape;
  std::vector<double> values;

  using Place = std::vector<Index>;
  double at(const Place& place) const {
    Index offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      offset = offset * shape[axis] + place[axis];
    return values[static_cast<std::size_t>(offset)];
  }
  // Every element of a new shape from the place that source(place) names here.
  template <class Source>
  Plain taken(const std::vector<Index>& to, const Source& source) const {
    Plain out{to, {}};
    const Index count = Shape(to).numel();
    for (Index i = 0; i < count; ++i) {
      Place place(to.size());
      Index rest = i;
      for (std::size_t axis = to.size(); axis-- > 0;) {
        place[axis] = rest % to[axis];
        rest /= to[axis];
      }
      out.values.push_back(at(source(place)));
    }
    return out;
  }
};

// One random view of both kinds.
void step(Array& array, Plain& plain, Generator& random) {
  const Index rank = array.rank();
  const auto sized = [](const Plain& p) { return p.shape; };
  const Index kind = random.below(6);
  if (kind == 0 && rank > 0) {  // permute
    const std::vector<Index> order = random.permutation(rank);
    std::vector<Index> shape;
    for (const Index axis : order) shape.push_back(plain.shape[static_cast<std::size_t>(axis)]);
    array = array.permute(order);
    plain = plain.taken(shape, [&](const Plain::Place& place) {
      Plain::Place from(place.size());
      for (std::size_t i = 0; i < place.size(); ++i)
        from[static_cast<std::size_t>(order[i])] = place[i];
      return from;
    });
  } else if (kind == 1 && rank > 0) {  // slice
    const Index axis = random.below(rank);
    const auto at = static_cast<std::size_t>(axis);
    const Index start = random.below(plain.shape[at]);
    const Index stride = 1 + random.below(3);
    std::vector<Index> shape = sized(plain);
    shape[at] = (shape[at] - start + stride - 1) / stride;
    array = array.slice(axis - rank, start, std::numeric_limits<Index>::max(), stride);
    plain = plain.taken(shape, [&](Plain::Place place) {
      place[at] = start + stride * place[at];
      return place;
    });
  } else if (kind == 2 && rank < 5) {  // expand a new leading axis and every axis of size 1
    std::vector<Index> shape = sized(plain);
    for (Index& size : shape) size = size == 1 ? 2 : size;
    shape.insert(shape.begin(), 2);
    if (Shape(shape).numel() > 4000) return;
    array = array.expand(Shape(shape));
    const std::vector<Index> narrow = plain.shape;
    plain = plain.taken(shape, [&](const Plain::Place& place) {
      Plain::Place from(place.begin() + 1, place.end());
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = narrow[i] == 1 ? 0 : from[i];
      return from;
    });
  } else if (kind == 3) {  // reshape: two axes joined, or one cut
    std::vector<Index> shape = sized(plain);
    if (rank >= 2) {
      shape[1] *= shape[0];
      shape.erase(shape.begin());
    } else {
      shape = {-1};
    }
    array = array.reshape(Shape(shape));
    plain.shape = std::vector<Index>(array.shape().begin(), array.shape().end());
  } else if (kind == 4 && rank > 1) {  // select
    const Index axis = random.below(rank);
    const Index index = random.below(plain.shape[static_cast<std::size_t>(axis)]);
    std::vector<Index> shape = sized(plain);
    shape.erase(shape.begin() + axis);
    array = array.select(axis, index);
    plain = plain.taken(shape, [&](Plain::Place place) {
      place.insert(place.begin() + axis, index);
      return place;
    });
  } else if (kind == 5 && rank < 5) {  // an axis in, perhaps out again
    const Index axis = random.below(rank + 1);
    array = array.unsqueeze(axis);
    if (random.below(2) == 0) {
      array = array.squeeze(axis);
    } else {
      plain.shape.insert(plain.shape.begin() + axis, 1);
    }
  }
}

TEST(Array, ChainsOfViewsAgreeWithIndexArithmetic) {
  Generator random(17);
  for (int trial = 0; trial < 300; ++trial) {
    Array array = counted({5, 3, 7});
    Plain plain{{5, 3, 7}, array.to_vector<double>()};
    for (int i = 0; i < 7; ++i) step(array, plain, random);
    ASSERT_EQ(array.shape(), Shape(plain.shape));
    ASSERT_EQ(array.to_vector<double>(), plain.values) << "trial " << trial;
    ASSERT_EQ(array.clone().to_vector<double>(), plain.values);
    ASSERT_TRUE(array.contiguous().is_contiguous());
  }
}

TEST(Array, ViewsShareAndCopiesDoNot) {
  Array x = counted({3, 5});
  EXPECT_TRUE(x.unique());
  Array view = x.transpose(0, 1).slice(0, 1, 4);
  EXPECT_TRUE(view.shares_storage(x));
  EXPECT_FALSE(x.unique());
  view.bump_version();
  EXPECT_EQ(x.version(), 1U);
  Array copy = view.clone();
  EXPECT_FALSE(copy.shares_storage(x));
  EXPECT_EQ(copy.version(), 0U);
  EXPECT_TRUE(x.reshape({15}).shares_storage(x));
  EXPECT_FALSE(x.transpose(0, 1).reshape({15}).shares_storage(x));
}

// What another holds, and how often it was let go.
struct Held {
  std::vector<double> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  int let_go = 0;
  static void release(void* held) { ++static_cast<Held*>(held)->let_go; }
  Array around(const Shape& shape, const Strides& strides) {
    return Array::around(numbers.data(), shape, strides, DType::f64, release, this);
  }
};

TEST(Array, StandsAroundNumbersThatAnotherHolds) {
  Held held;
  {
    Array x = held.around({2, 3}, {5, 2});
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0, 2, 4, 5, 7, 9}));
    EXPECT_FALSE(x.unique()) << "another may write there";
    held.numbers[7] = -7;
    x.mutable_data<double>()[2] = 20;
    EXPECT_EQ(held.numbers[2], 20);
    const Array view = x.select(0, 1);
    x = Array();
    EXPECT_EQ(held.let_go, 0);
    EXPECT_EQ(view.to_vector<double>(), (std::vector<double>{5, -7, 9}));
  }
  EXPECT_EQ(held.let_go, 1);
}

TEST(Array, WhatAnotherHoldsIsLetGoWhereItDoesNotFit) {
  Held held;
  EXPECT_THROW(held.around({2, 3}, {5}), ShapeError);
  EXPECT_THROW(held.around({2, -3}, {5, 1}), ShapeError);
  EXPECT_THROW(held.around({2, 3}, {-5, 1}), ShapeError);
  EXPECT_THROW(held.around({2, 3}, {std::numeric_limits<Index>::max(), 1}), ShapeError);
  EXPECT_EQ(held.let_go, 4);
  EXPECT_EQ(held.around({0, 3}, {5, 1}).numel(), 0);
  EXPECT_EQ(held.let_go, 5);
}

TEST(Array, SlicesAsPythonDoes) {
  const Array x = counted({7});
  const auto cut = [&](Index start, Index stop, Index by = 1) {
    return x.slice(0, start, stop, by).to_vector<double>();
  };
  using V = std::vector<double>;
  EXPECT_EQ(cut(2, 5), (V{2, 3, 4}));
  EXPECT_EQ(cut(-3, -1), (V{4, 5}));
  EXPECT_EQ(cut(-99, 99, 3), (V{0, 3, 6}));
  EXPECT_EQ(cut(5, 2), V{});
  EXPECT_EQ(cut(6, 7, std::numeric_limits<Index>::max()), V{6});
  EXPECT_EQ(cut(std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()).size(), 7U);
  EXPECT_ERROR(ValueError, "slice: step 0 must be positive", cut(0, 7, 0));
}

TEST(Array, KeepsEmptyAndRankZero) {
  const Array empty = Array::zeros({0, 3}, DType::f32);
  EXPECT_EQ(empty.to_vector<float>().size(), 0U);
  EXPECT_EQ(empty.transpose(0, 1).reshape({3, 0, 2}).shape(), (Shape{3, 0, 2}));
  EXPECT_EQ(empty.slice(1, 1, 3).shape(), (Shape{0, 2}));
  EXPECT_EQ(empty.expand({2, 0, 3}).numel(), 0);
  const Array single = Array::full({}, 2.5, DType::f64);
  EXPECT_EQ(single.item(), 2.5);
  EXPECT_EQ(single.expand({2, 2}).to_vector<double>(), std::vector<double>(4, 2.5));
}

TEST(Array, ConvertsBetweenAllDTypes) {
  const double inf = std::numeric_limits<double>::infinity();
  const Array x = Array::from(std::vector<double>{-2.75, 0, 0.5, 3, 1e300, -inf, NAN});
  EXPECT_EQ(x.to(DType::i64).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{-2, 0, 0, 3, INT64_MAX, INT64_MIN, INT64_MIN}));
  EXPECT_EQ(x.to(DType::boolean).to_vector<bool>(),
            (std::vector<bool>{true, false, true, true, true, true, true}));
  EXPECT_EQ(x.to(DType::f32).to_vector<float>()[4], std::numeric_limits<float>::infinity());
  const Array i = Array::from(std::vector<std::int64_t>{-3, 0, INT64_MAX});
  EXPECT_EQ(i.to(DType::f64).to_vector<double>(), (std::vector<double>{-3, 0, 0x1p63}));
  EXPECT_EQ(i.to(DType::boolean).to_vector<bool>(), (std::vector<bool>{true, false, true}));
  const Array b = Array::from(std::vector<bool>{true, false});
  EXPECT_EQ(b.to(DType::f32).to_vector<float>(), (std::vector<float>{1, 0}));
  EXPECT_EQ(b.to(DType::i64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_TRUE(x.to(DType::f64).shares_storage(x));
}

TEST(Array, SaysWhatDoesNotFit) {
  const Array x = Array::zeros({3, 5}, DType::f32);
  EXPECT_ERROR(DTypeError, "array: asked for f64 of f32[3, 5]", x.data<double>());
  EXPECT_ERROR(DTypeError, "array: asked for f32 of undefined", Array().data<float>());
  EXPECT_ERROR(ShapeError, "item: needs exactly one element, not f32[3, 5]", x.item());
  EXPECT_ERROR(ShapeError, "item: needs exactly one element, not undefined", Array().item());
  EXPECT_ERROR(ShapeError, "item: needs exactly one element, not bool[2, 3]: all(x), any(x)",
               Array::zeros({2, 3}, DType::boolean).item());
  EXPECT_ERROR(ShapeError, "array: 2 values do not fill shape [3]",
               Array::from(std::vector<float>{1, 2}, {3}));
  EXPECT_ERROR(ShapeError, "size: axis 2 is out of range for rank 2", x.size(2));
  EXPECT_ERROR(IndexError, "select: index 5 is out of range for axis 1 of f32[3, 5]",
               x.select(1, 5));
  EXPECT_ERROR(ShapeError, "clone: the array is undefined", Array().clone());
  EXPECT_ERROR(ShapeError, "to: the array is undefined", Array().to(DType::f64));
}

TEST(Array, RefusesSizesThatOverflow) {
  const Index big = Index{1} << 40;
  EXPECT_THROW(Array::empty({big, big}, DType::f32), ShapeError);
  EXPECT_THROW(Array::empty({Index{1} << 62}, DType::f64), ShapeError);  // bytes
  EXPECT_THROW(Array::empty({-1, 3}, DType::f32), ShapeError);
  EXPECT_THROW(Array::zeros({Index{1} << 60}, DType::boolean), OutOfMemory);
  EXPECT_THROW(Array::zeros({std::numeric_limits<Index>::max()}, DType::boolean), OutOfMemory);
  EXPECT_EQ(Array::empty({big, big, 0}, DType::f64).numel(), 0);
  EXPECT_THROW(Array::zeros({1, 1}, DType::f32).expand({big, big}), ShapeError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError);
}

}  // namespace
}  // namespace heed
