// What the gradient table does not say of the operators on shapes: other dtypes, which results are
// views, NaN.
#include "../../../../autograd/ops/shape/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/ops/index/mask_index.h"
#include "../../../../autograd/ops/linalg/einsum.h"
#include "../../../../autograd/ops/shape/arrange.h"
#include "../../../../autograd/ops/shape/pad.h"
#include "../../../../autograd/ops/shape/triangle.h"
#include "../../../../autograd/ops/shape/unfold.h"

namespace heed {
namespace {

using testing::ElementsAre;

Tensor whole_numbers(const Shape& shape) {
  std::vector<std::int64_t> values;
  for (Index i = 0; i < shape.numel(); ++i) values.push_back(i);
  return Tensor(Array::from(values, shape));
}

std::vector<std::int64_t> numbers(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }

TEST(Shapes, WholeNumbersMoveToo) {
  const Tensor x = whole_numbers({2, 3});
  EXPECT_THAT(numbers(flip(x, {1})), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(numbers(roll(x, {1}, {0})), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(numbers(repeat(x, {1, 2})), ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_THAT(numbers(tril(x)), ElementsAre(0, 0, 0, 3, 4, 0));
  EXPECT_THAT(numbers(triu(x, 1)), ElementsAre(0, 1, 2, 0, 0, 5));
  EXPECT_THAT(numbers(pad(x, {1, 0}, PadMode::constant, 7)), ElementsAre(7, 0, 1, 2, 7, 3, 4, 5));
  EXPECT_THAT(numbers(pad(x, {1, 1}, PadMode::reflect)), ElementsAre(1, 0, 1, 2, 1, 4, 3, 4, 5, 4));
  EXPECT_THAT(numbers(diagonal(x, 1)), ElementsAre(1, 5));
  EXPECT_THAT(numbers(unfold(x, 1, 2, 1)), ElementsAre(0, 1, 1, 2, 3, 4, 4, 5));
  EXPECT_THAT(numbers(diag_embed(select(x, 0, 1))), ElementsAre(3, 0, 0, 0, 4, 0, 0, 0, 5));
}

TEST(Shapes, ViewsShareTheirMemory) {
  const Tensor x = zeros({4, 6});
  for (const Tensor& view_of_x :
       {view(x, {2, 12}), reshape(x, {8, 3}), index(x, {Slice(1, 3), kNewAxis, 2}), diagonal(x, 1),
        unfold(x, 1, 3, 2), squeeze(unsqueeze(x, 0)), chunk(x, 2, 1)[1],
        reshape(narrow(x, 1, 0, 4), {4, 2, 2}), view(narrow(x, 1, 0, 4), {2, 2, 4})}) {
    EXPECT_TRUE(view_of_x.array().shares_storage(x.array())) << describe(view_of_x);
  }
  for (const Tensor& copy : {reshape(transpose(x, 0, 1), {24}), flip(x, {0}), roll(x, {1}, {1}),
                             pad(x, {0, 0}), clone(x), contiguous(transpose(x, 0, 1))}) {
    EXPECT_FALSE(copy.array().shares_storage(x.array())) << describe(copy);
  }
  EXPECT_TRUE(contiguous(x).is_same(x));
}

TEST(Shapes, NothingOutsideOfATriangleShows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor x = tensor({1, nan, 2, 3}, {2, 2});
  x.set_requires_grad();
  const Tensor y = tril(x);
  EXPECT_THAT(y.array().to_vector<float>(), ElementsAre(1, 0, 2, 3));
  y.backward(tensor({1, nan, 2, 3}, {2, 2}));
  EXPECT_THAT(x.grad().array().to_vector<float>(), ElementsAre(1, 0, 2, 3));
}

TEST(Shapes, ANarrowPartMayBeginFromTheEnd) {
  const Tensor x = whole_numbers({2, 5});
  EXPECT_THAT(numbers(narrow(x, 1, -2, 2)), ElementsAre(3, 4, 8, 9));
  EXPECT_THAT(numbers(narrow(x, -1, -5, 1)), ElementsAre(0, 5));
  EXPECT_THAT(numbers(narrow(x, 0, -1, 0)), ElementsAre());
  Tensor y = zeros({2, 5});
  y.set_requires_grad();
  narrow(y, 1, -2, 2).backward(tensor({2, 3, 5, 7}, {2, 2}));
  EXPECT_THAT(y.grad().array().to_vector<float>(), ElementsAre(0, 0, 0, 2, 3, 0, 0, 0, 5, 7));
}

TEST(Shapes, BracesIndexByPlacesAndByTensors) {
  const Tensor x = whole_numbers({2, 3});
  EXPECT_THAT(numbers(index(x, {1})), ElementsAre(3, 4, 5));
  EXPECT_THAT(numbers(index(x, {0, 2})), ElementsAre(2));
  EXPECT_THAT(numbers(index(x, {Slice(), -1})), ElementsAre(2, 5));
  EXPECT_THAT(numbers(index(x, {})), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers(index(x, {whole_numbers({2})})), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Chunk, GivesNoMorePiecesThanAsked) {
  std::vector<Index> sizes;
  for (const Tensor& piece : chunk(zeros({10, 2}), 4)) sizes.push_back(piece.size(0));
  EXPECT_THAT(sizes, ElementsAre(3, 3, 3, 1));
  EXPECT_EQ(chunk(zeros({6}), 4).size(), 3U);  // pieces of 2, as in PyTorch
  EXPECT_EQ(split(zeros({7}), 3).size(), 3U);
}

// Attention's two products as equations, against their meaning on distinct sizes.
TEST(Einsum, JoinsManyOperands) {
  const Tensor a = randn({2, 3, 5}, DType::f64);
  const Tensor b = randn({5, 7}, DType::f64);
  const Tensor c = randn({7, 11, 2}, DType::f64);
  const Tensor out = einsum("nij,jk,kln->li", {a, b, c});
  ASSERT_EQ(out.shape(), (Shape{11, 3}));
  const auto at = [](const Tensor& x, const std::vector<IndexEntry>& place) {
    return index(x, place).item();
  };
  double total = 0;
  for (int n = 0; n < 2; ++n) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 7; ++k) total += at(a, {n, 1, j}) * at(b, {j, k}) * at(c, {k, 9, n});
    }
  }
  EXPECT_NEAR(at(out, {9, 1}), total, 1e-12);
}

}  // namespace
}  // namespace heed
