// What answers with places, counts or yes and no, and so has no gradient; the order of equals and
// of NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/mask_index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/throws.h"

namespace heed {
namespace {

using Places = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

Places places(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }
Tensor line(const Numbers& values, DType dtype = DType::f64) {
  return tensor(values, {static_cast<Index>(values.size())}, dtype);
}

TEST(Argmax, TakesTheFirstOfEqualsAndNaNBeforeNumbers) {
  EXPECT_EQ(argmax(line({1, 3, 3, 2}), 0).item(), 1);
  EXPECT_EQ(argmin(line({2, 1, 3, 1}), 0).item(), 1);
  EXPECT_EQ(argmax(line({1, NAN, 7, NAN}), 0).item(), 1);
  EXPECT_EQ(argmin(line({1, 0, NAN, -7}), 0).item(), 2);
}

TEST(Argmax, OfAllCountsRowMajor) {
  const Tensor x = tensor({1, 2, 9, 4, 5, 0}, {2, 3});
  EXPECT_EQ(argmax(x).item(), 2);
  EXPECT_EQ(argmin(transpose(x, 0, 1)).item(), 5);
  EXPECT_EQ(argmax(transpose(x, 0, 1)).item(), 4);
  EXPECT_EQ(argmax(x).rank(), 0);
  EXPECT_EQ(places(argmin(x, 1, true)), (Places{0, 2}));
  EXPECT_EQ(argmin(x, 1, true).shape(), (Shape{2, 1}));
  EXPECT_ERROR(ShapeError, "argmin: no elements to reduce in f32[0]", argmin(zeros({0, 3})));
  EXPECT_EQ(argmin(tensor({3, -1, 2})).item(), 1);
}

TEST(AllAndAny, OverAnyAxesAndDtypes) {
  const Numbers values = {1, 0, 2, 3, 4, 5};
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Tensor x = tensor(values, {2, 3}, dtype);
    EXPECT_EQ(numbers(all(x, {1})), (Numbers{0, 1}));
    EXPECT_EQ(numbers(all(x, {0})), (Numbers{1, 0, 1}));
    EXPECT_EQ(numbers(any(slice(x, 1, 1, 2), {-1})), (Numbers{0, 1}));
    EXPECT_EQ(all(x).item(), 0);
    EXPECT_EQ(any(x).item(), 1);
    EXPECT_EQ(any(x, {0}, true).shape(), (Shape{1, 3}));
    EXPECT_EQ(all(x).dtype(), DType::boolean);
  }
  EXPECT_EQ(any(line({0, NAN})).item(), 1);
}

TEST(AllAndAny, OfNothing) {
  EXPECT_EQ(all(zeros({0})).item(), 1);
  EXPECT_EQ(any(zeros({0})).item(), 0);
  EXPECT_EQ(numbers(all(zeros({0, 3}), {0})), (Numbers{1, 1, 1}));
  EXPECT_EQ(any(zeros({0, 3}), {1}).shape(), Shape{0});
  EXPECT_ERROR(ShapeError, "any: axis 1 is out of range for rank 1", any(zeros({3}), {1}));
  EXPECT_ERROR(ShapeError, "all: axis 0 is named twice", all(zeros({3}), {0, -1}));
  EXPECT_NE(message_of<GradError>([] { all(Tensor()); }), "");
}

TEST(Sort, KeepsTheOrderOfEquals) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor x = line({2, 1, 2, -3, 1, 2}, dtype);
    EXPECT_EQ(places(argsort(x)), (Places{3, 1, 4, 0, 2, 5}));
    EXPECT_EQ(places(argsort(x, 0, true)), (Places{0, 2, 5, 1, 4, 3}));
    EXPECT_EQ(numbers(sort(x).values), (Numbers{-3, 1, 1, 2, 2, 2}));
    EXPECT_EQ(sort(x).values.dtype(), dtype);
    EXPECT_EQ(places(sort(x, -1, true).indices), (Places{0, 2, 5, 1, 4, 3}));
  }
  EXPECT_EQ(places(argsort(line({1, 0, 1, 0}, DType::boolean))), (Places{1, 3, 0, 2}));
  EXPECT_EQ(places(argsort(line({0.0, -0.0, 0.0}))), (Places{0, 1, 2}));
}

TEST(Sort, PutsNaNBehindInfinity) {
  const double inf = INFINITY;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = line({NAN, inf, -1, -inf, -NAN, 1e-40}, dtype);
    EXPECT_EQ(places(argsort(x)), (Places{3, 2, 5, 1, 0, 4}));
    EXPECT_EQ(places(argsort(x, 0, true)), (Places{0, 4, 1, 5, 2, 3}));
    EXPECT_EQ(places(topk(x, 2).indices), (Places{0, 4}));
  }
}

TEST(Sort, ReachesTheEndsOfI64) {
  const std::vector<std::int64_t> ends = {INT64_MAX, 0, INT64_MIN, -1};
  EXPECT_EQ(places(argsort(Tensor(Array::from(ends)))), (Places{2, 3, 1, 0}));
}

TEST(Sort, OfManyRowsIsTheSameAsOneByOne) {
  Generator generator(7);
  const Tensor x = Tensor(generator.normal({37, 1009}, 0, 1, DType::f32));
  const Tensor order = argsort(x);
  for (const Index row : {0, 17, 36}) {
    Places expected(1009);
    const auto values = select(x, 0, row).array().to_vector<float>();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<Index>(i);
    std::stable_sort(expected.begin(), expected.end(), [&](Index a, Index b) {
      return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
    });
    EXPECT_EQ(places(select(order, 0, row)), expected);
    const Places best = places(select(topk(x, 11, 1, false).indices, 0, row));
    EXPECT_EQ(best, Places(expected.begin(), expected.begin() + 11));
  }
}

TEST(Topk, UnsortedKeepsTheOrderOfPlaces) {
  const Tensor x = line({5, 1, 7, 3, 9});
  EXPECT_EQ(places(topk(x, 3).indices), (Places{4, 2, 0}));
  EXPECT_EQ(places(topk(x, 3, 0, true, false).indices), (Places{0, 2, 4}));
  EXPECT_EQ(numbers(topk(x, 2, 0, false).values), (Numbers{1, 3}));
}

TEST(Median, IsTheLowerOneAndNaNWins) {
  EXPECT_EQ(median(line({4, 1, 3, 2})).item(), 2);
  const Picked picked = median(tensor({3, 1, 2, 5, 5, 4}, {2, 3}), 1);
  EXPECT_EQ(numbers(picked.values), (Numbers{2, 5}));
  EXPECT_EQ(places(picked.indices), (Places{2, 0}));
  EXPECT_EQ(median(line({1, 2, NAN, NAN}), 0).indices.item(), 2);
  EXPECT_EQ(median(line({4, 1, 3, 2}, DType::i64)).item(), 2);
}

TEST(Nonzero, NamesPlacesRowMajor) {
  const Tensor x = tensor({0, 1, 0, 2, 0, 3}, {2, 3});
  EXPECT_EQ(places(nonzero(x)), (Places{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(nonzero(x).shape(), (Shape{3, 2}));
  EXPECT_EQ(places(nonzero(transpose(x, 0, 1))), (Places{0, 1, 1, 0, 2, 1}));
  EXPECT_EQ(nonzero(tensor(1)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(tensor(0)).shape(), (Shape{0, 0}));
  EXPECT_EQ(nonzero(zeros({0, 3})).shape(), (Shape{0, 2}));
  EXPECT_EQ(places(nonzero(line({NAN, 0}))), (Places{0}));
  EXPECT_NE(message_of<GradError>([] { nonzero(Tensor()); }), "");
}

TEST(OneHot, CountsItsClasses) {
  const Tensor ids = Tensor(Array::from(Places{2, 0}, {2, 1}));
  EXPECT_EQ(one_hot(ids).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(places(one_hot(ids)), (Places{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(one_hot(ids, 5).shape(), (Shape{2, 1, 5}));
  EXPECT_EQ(numbers(one_hot(select(ids, 0, 1), 2, DType::f32)), (Numbers{1, 0}));
  EXPECT_EQ(one_hot(zeros({0}, DType::i64), 3).shape(), (Shape{0, 3}));
}

TEST(OneHot, RefusesWhatIsNoClass) {
  const Tensor ids = Tensor(Array::from(Places{2, 0}));
  const Tensor below = Tensor(Array::from(Places{-1, 0}));
  EXPECT_ERROR(IndexError, "one_hot: index 2 is out of range [0, 2)", one_hot(ids, 2));
  EXPECT_ERROR(IndexError, "one_hot: index -1 is out of range [0, 1)", one_hot(below));
  EXPECT_ERROR(ValueError, "one_hot: 0 classes for i64[2]", one_hot(ids, 0));
  EXPECT_ERROR(ValueError, "one_hot: -1 classes for i64[0]", one_hot(zeros({0}, DType::i64)));
  EXPECT_ERROR(DTypeError, "one_hot: indices must be i64, not f32[3]", one_hot(zeros({3}), 2));
  EXPECT_ERROR(DTypeError, "one_hot: indices must be i64, not f32[3]", one_hot(zeros({3})));
  EXPECT_NE(message_of<ShapeError>([&] { one_hot(ids, INT64_MAX); }), "");
  EXPECT_NE(message_of<GradError>([] { one_hot(Tensor()); }), "");
}

TEST(IndexPut, TakesAnyDtype) {
  const Tensor x = line({1, 2, 3}, DType::i64);
  const Tensor at = Tensor(Array::from(Places{-1, 0, -1}));
  EXPECT_EQ(places(index_put(x, {at}, line({7, 8, 9}, DType::i64))), (Places{8, 2, 9}));
  EXPECT_EQ(places(x), (Places{1, 2, 3}));
  EXPECT_EQ(places(index(x, {x >= tensor(2, DType::i64)})), (Places{2, 3}));
}

}  // namespace
}  // namespace heed
