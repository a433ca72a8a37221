#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor ids(const std::vector<std::int64_t>& values) { return Array::from(values); }

class SparseGradient : public testing::Test {
 protected:
  SparseGradient() {
    weight.set_requires_grad();
    dense.set_requires_grad();
  }
  // The same in both tables: a sparse one, and a dense one as reference.
  void use(const std::vector<std::int64_t>& rows) {
    const Tensor factors = randn({static_cast<Index>(rows.size()), 3}, DType::f64, generator);
    sum(embedding(weight, ids(rows), true) * factors).backward();
    sum(embedding(dense, ids(rows), false) * factors).backward();
  }
  void expect_equal() const {
    const auto found = Tensor(weight.grad()).array().to_vector<double>();
    const auto expected = dense.grad().array().to_vector<double>();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-14);
  }
  Generator generator{3};
  Tensor weight = randn({101, 3}, DType::f64, generator);
  Tensor dense = Tensor(weight.array().clone());
};

TEST_F(SparseGradient, HoldsTheRowsUsedOnceEach) {
  use({7, 2, 7, 97, 2, 7});
  ASSERT_TRUE(weight.grad().is_sparse());
  EXPECT_EQ(weight.grad().sparse_rows().rows.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{2, 7, 97}));
  EXPECT_EQ(weight.grad().shape(), (Shape{101, 3}));
  EXPECT_FALSE(dense.grad().is_sparse());
  expect_equal();
  EXPECT_FALSE(weight.grad().is_sparse());  // somebody asked for the numbers
}

// As in reshape(transpose(g, 0, 1), g.shape()), where the shape may be asked for first.
TEST_F(SparseGradient, KeepsItsShapeForThoseWhoLookedAtItBeforeTheNumbers) {
  use({7, 2});
  const Tensor gradient = weight.grad();
  const Shape& shape = gradient.shape();
  EXPECT_EQ(gradient.array().shape(), (Shape{101, 3}));
  EXPECT_FALSE(gradient.is_sparse());
  EXPECT_EQ(shape, (Shape{101, 3}));
  EXPECT_EQ(gradient.shape(), shape);
}

TEST_F(SparseGradient, SumsOverPasses) {
  use({7, 2});
  use({2, 50, 50});
  EXPECT_EQ(weight.grad().sparse_rows().rows.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{2, 7, 50}));
  expect_equal();
}

TEST_F(SparseGradient, SumsWithinAPass) {
  for (const bool sparse : {true, false}) {
    const Tensor& table = sparse ? weight : dense;
    const Tensor both = sum(embedding(table, ids({1, 4}), sparse)) +
                        2 * sum(embedding(table, ids({4, 99}), sparse));
    both.backward();
  }
  EXPECT_EQ(weight.grad().sparse_rows().rows.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 4, 99}));
  expect_equal();
}

TEST_F(SparseGradient, AddsToADenseOneAndFromIt) {
  for (const bool dense_first : {true, false}) {
    weight.zero_grad();
    dense.zero_grad();
    for (const bool sparse : {true, false}) {
      const Tensor& table = sparse ? weight : dense;
      const Tensor rows = sum(square(embedding(table, ids({5, 5, 11}), sparse)));
      const Tensor tied = sum(square(table));  // as a projection with the same weight
      (dense_first ? rows + tied : tied + rows).backward();
    }
    EXPECT_FALSE(weight.grad().is_sparse());
    expect_equal();
  }
  // And over passes: dense stands, sparse comes; sparse stands, dense comes.
  use({100, 0});
  expect_equal();
  weight.zero_grad();
  dense.zero_grad();
  use({100, 0});
  sum(square(weight)).backward();
  sum(square(dense)).backward();
  expect_equal();
}

// The row that stands for no word keeps its numbers.
TEST_F(SparseGradient, LeavesThePaddingRowOut) {
  const Tensor g = randn({5, 3}, DType::f64, generator);
  const Tensor used = ids({7, 2, 7, 0, 2});
  const Tensor expected = grad({embedding(dense, used)}, {dense}, {g})[0];
  for (const bool sparse : {true, false}) {
    for (const bool create_graph : {true, false}) {
      const Tensor out = embedding(weight, used, sparse, 7);
      EXPECT_EQ(out.array().select(0, 0).to_vector<double>(),
                weight.array().select(0, 7).to_vector<double>());
      const Array found = grad({out}, {weight}, {g}, {.create_graph = create_graph})[0].array();
      for (const Index row : {0, 2, 7, 100}) {
        EXPECT_EQ(found.select(0, row).to_vector<double>(),
                  row == 7 ? std::vector<double>(3, 0)
                           : expected.array().select(0, row).to_vector<double>());
      }
    }
  }
}

TEST_F(SparseGradient, OfNoIdsIsZero) {
  use({});
  expect_equal();
}

TEST_F(SparseGradient, IsDenseWhereItIsRecorded) {
  const Tensor g = grad({sum(square(embedding(weight, ids({5, 5}), true)))}, {weight}, {},
                        {.create_graph = true})[0];
  EXPECT_FALSE(g.is_sparse());
  const Tensor gg = grad({sum(g)}, {weight})[0];
  EXPECT_EQ(gg.array().select(0, 5).to_vector<double>(), (std::vector<double>{4, 4, 4}));
}

TEST_F(SparseGradient, RowsOfADenseOneAreRefused) {
  EXPECT_ERROR(GradError, "sparse_rows: f64[101, 3] is dense", weight.sparse_rows());
}

TEST_F(SparseGradient, LeavesASharedGradientAlone) {
  use({7});
  const Tensor before = weight.grad();
  const std::vector<double> kept = before.sparse_rows().values.to_vector<double>();
  use({7});
  EXPECT_EQ(before.sparse_rows().values.to_vector<double>(), kept);
}

}  // namespace
}  // namespace heed
