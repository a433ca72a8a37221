// Reading and adding at many places, where several threads share the work, and what does not fit.
#include <gtest/gtest.h>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/index/index.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

Array drawn_ids(Generator& generator, const Shape& shape, Index count) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(shape.numel()));
  for (auto& id : ids) id = generator.below(count);
  return Array::from(ids, shape);
}

// to += values at index along the axis, place by place.
std::vector<double> in_loops(const Array& x, Index axis, const Array& index, const Array& values) {
  auto out = x.to_vector<double>();
  const auto ids = index.to_vector<std::int64_t>();
  const auto from = values.to_vector<double>();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto rest = static_cast<Index>(i);
    Index to = 0, step = 1;
    std::vector<Index> place(static_cast<std::size_t>(x.rank()));
    for (Index a = x.rank() - 1; a >= 0; --a) {
      place[static_cast<std::size_t>(a)] = rest % index.size(a);
      rest /= index.size(a);
    }
    place[static_cast<std::size_t>(axis)] = ids[i];
    for (Index a = x.rank() - 1; a >= 0; --a) {
      to += place[static_cast<std::size_t>(a)] * step;
      step *= x.size(a);
    }
    out[static_cast<std::size_t>(to)] += from[i];
  }
  return out;
}

TEST(IndexLarge, ScattersInPiecesAsInOne) {
  Generator generator(3);
  for (const Shape& shape :
       {Shape{7, 5003}, Shape{5003, 7}, Shape{3, 401, 29}, Shape{31, 3, 397}}) {
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      const Array x = generator.normal(shape, 0, 1, DType::f64);
      Shape wanted = shape;
      wanted[axis] += 2;
      const Array index = drawn_ids(generator, wanted, shape[axis]);
      const Array values = generator.normal(wanted, 0, 1, DType::f64);
      Array to = x.clone();
      scatter_add_into(to, axis, index, values);
      EXPECT_EQ(to.to_vector<double>(), in_loops(x, axis, index, values))
          << to_string(shape) << axis;
      EXPECT_EQ(to.version(), 1U);
      Array turned = x.transpose(0, -1).clone().transpose(0, -1);
      scatter_add_into(turned, axis - shape.rank(), index,
                       values.transpose(0, -1).clone().transpose(0, -1));
      EXPECT_EQ(turned.to_vector<double>(), to.to_vector<double>());
    }
  }
}

TEST(IndexLarge, GathersWhatTheIndexNames) {
  Generator generator(5);
  const Array x = generator.normal({53, 5, 211}, 0, 1, DType::f32);
  for (Index axis = 0; axis < 3; ++axis) {
    Shape wanted{47, 4, 199};
    wanted[axis] = 61;
    const Array index = drawn_ids(generator, wanted, x.size(axis));
    const auto found = gather(x, axis, index).to_vector<float>();
    const auto ids = index.to_vector<std::int64_t>();
    const auto from = x.to_vector<float>();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto at = static_cast<Index>(i);
      Index place[] = {at / wanted[2] / wanted[1], at / wanted[2] % wanted[1], at % wanted[2]};
      place[axis] = ids[i];
      ASSERT_EQ(found[i],
                from[static_cast<std::size_t>((place[0] * 5 + place[1]) * 211 + place[2])]);
    }
  }
}

TEST(IndexLarge, RowsAreReadByManyThreads) {
  Generator generator(7);
  const Array table = generator.normal({101, 37}, 0, 1, DType::f32);
  const Array ids = drawn_ids(generator, {4001}, 101);
  const auto found = take_rows("test", table, ids).to_vector<float>();
  const auto from = table.to_vector<float>();
  for (std::size_t i = 0; i < 4001; ++i) {
    const auto row = static_cast<std::size_t>(ids.data<std::int64_t>()[i]);
    for (std::size_t c = 0; c < 37; ++c) ASSERT_EQ(found[i * 37 + c], from[row * 37 + c]);
  }
}

TEST(IndexLarge, AStrayAmongManyIsFound) {
  Generator generator(9);
  for (const std::int64_t stray : {std::int64_t{101}, std::int64_t{-1}}) {
    for (const Index place : {0, 40000, 80002}) {
      Array ids = drawn_ids(generator, {80003}, 101);
      ids.mutable_data<std::int64_t>()[place] = stray;
      EXPECT_ERROR(IndexError, "look: index " + std::to_string(stray) + " is out of range [0, 101)",
                   check_ids("look", ids, 101));
      EXPECT_THROW(gather(Array::zeros({101}, DType::f32), 0, ids), IndexError);
    }
  }
  EXPECT_NO_THROW(check_ids("look", Array::from(std::vector<std::int64_t>{0, 100}), 101));
}

TEST(IndexLarge, SaysWhatDoesNotFit) {
  const Array x = Array::zeros({3, 5}, DType::f64);
  const Array index = Array::zeros({2, 5}, DType::i64), values = Array::zeros({2, 5}, DType::f64);
  Array to = x.clone();
  EXPECT_NO_THROW(
      scatter_add_into(to, 0, Array::zeros({9, 5}, DType::i64), Array::zeros({9, 5}, DType::f64)));
  EXPECT_ERROR(ShapeError, "gather: index i64[2, 6] does not fit into [3, 5] beside axis 0",
               gather(x, 0, Array::zeros({2, 6}, DType::i64)));
  EXPECT_ERROR(ShapeError, "gather: index i64[5] does not fit into [3, 5] beside axis 0",
               gather(x, 0, Array::zeros({5}, DType::i64)));
  EXPECT_ERROR(ShapeError, "gather: axis 2 is out of range for rank 2", gather(x, 2, index));
  EXPECT_ERROR(DTypeError, "gather: indices must be i64, not f64[2, 5]", gather(x, 0, values));
  EXPECT_ERROR(ShapeError, "scatter_add: index i64[4, 5] does not fit into [3, 5] beside axis 1",
               scatter_add_into(to, 1, Array::zeros({4, 5}, DType::i64), values));
  EXPECT_ERROR(ShapeError, "scatter_add: values f64[3, 5] and index i64[2, 5] must have one shape",
               scatter_add_into(to, 0, index, x));
  EXPECT_ERROR(DTypeError, "scatter_add: dtypes differ: x is f64[3, 5], values are f32[2, 5]",
               scatter_add_into(to, 0, index, Array::zeros({2, 5}, DType::f32)));
  EXPECT_ERROR(ShapeError, "look: needs rank 1 or more, not rank 0",
               take_rows("look", Array::zeros({}, DType::f32), index));
  EXPECT_EQ(take_rows("look", Array::zeros({3, 0}, DType::f32), index).shape(), (Shape{2, 5, 0}));
}

TEST(IndexLarge, AddsRowsWhereEachIdSays) {
  Array to = Array::full({3, 2}, 1, DType::f64);
  add_rows(to, Array::from(std::vector<std::int64_t>{2, 0, 2}, {3, 1}),
           Array::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 1, 2}));
  EXPECT_EQ(to.to_vector<double>(), (std::vector<double>{4, 5, 1, 1, 7, 9}));
  EXPECT_EQ(to.version(), 1U);
  add_rows(to, Array::zeros({0}, DType::i64), Array::zeros({0, 2}, DType::f64));
  EXPECT_EQ(to.version(), 1U) << "nothing was added";
  EXPECT_EQ(one_hot(Array::from(std::vector<std::int64_t>{2, 0}), 3, DType::i64)
                .to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace heed::kernels
