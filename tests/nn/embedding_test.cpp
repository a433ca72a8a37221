#include "../../nn/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "../../nn/init.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::Each;
using testing::ElementsAre;

Tensor ids_of(const std::vector<std::int64_t>& ids, const Shape& shape) {
  return Array::from(ids, shape);
}

std::vector<double> row(const Tensor& table, Index i) {
  return table.array().select(0, i).to(DType::f64).to_vector<double>();
}

TEST(Embedding, LooksUpRows) {
  const nn::Embedding words({.count = 7, .width = 3, .dtype = DType::f64});
  const Tensor out = words(ids_of({6, 0, 2, 2}, {2, 2}));
  EXPECT_EQ(out.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(out.array().select(0, 0).select(0, 0).to_vector<double>(), row(words.weight, 6));
  EXPECT_EQ(out.array().select(0, 1).select(0, 1).to_vector<double>(), row(words.weight, 2));
}

TEST(Embedding, GradientHoldsOnlyTheRowsUsedUnlessDenseIsAskedFor) {
  Generator generator(5);
  const Tensor ids = ids_of({4, 1, 4, 1, 1}, {5});
  const Tensor factors = randn({5, 3}, DType::f64, generator);
  std::vector<double> dense;
  for (const bool sparse : {true, false}) {
    nn::Embedding words({.count = 7, .width = 3, .sparse = sparse, .dtype = DType::f64});
    sum(words(ids) * factors).backward();
    const Tensor g = words.weight.grad();
    EXPECT_EQ(g.is_sparse(), sparse);
    if (sparse) {
      EXPECT_THAT(g.sparse_rows().rows.to_vector<std::int64_t>(), ElementsAre(1, 4));
      dense = g.sparse_rows().to_dense().to_vector<double>();
    } else {
      EXPECT_EQ(g.array().to_vector<double>(), dense);
    }
  }
}

TEST(Embedding, GradientsOfAWordThatIsEverywhereKeepTheirDigits) {
  constexpr Index kLong = 1 << 18;
  const Tensor ids = full({kLong}, 2, DType::i64);
  for (const bool sparse : {true, false}) {
    nn::Embedding words({.count = 5, .width = 3, .sparse = sparse});
    sum(words(ids) * 0.1).backward();
    const Tensor g = words.weight.grad();
    const Array used = sparse ? g.sparse_rows().values : g.array().slice(0, 2, 3);
    for (const float found : used.to_vector<float>()) {
      EXPECT_NEAR(static_cast<double>(found) / (static_cast<double>(0.1f) * kLong), 1, 1e-6);
    }
  }
}

TEST(Embedding, ThePaddingRowIsZeroAndGetsNoGradient) {
  Generator generator(6);
  const Tensor ids = ids_of({2, 5, 2, 3}, {4});
  const Tensor factors = randn({4, 3}, DType::f64, generator);
  for (const bool sparse : {true, false}) {
    nn::Embedding words(
        {.count = 7, .width = 3, .padding = 2, .sparse = sparse, .dtype = DType::f64});
    EXPECT_THAT(row(words.weight, 2), Each(0.0));
    EXPECT_THAT(row(words.weight, 5), Each(testing::Ne(0.0)));
    const Tensor out = words(ids);
    EXPECT_EQ(out.array().select(0, 1).to_vector<double>(), row(words.weight, 5));
    sum(out * factors).backward();
    EXPECT_THAT(row(words.weight.grad(), 2), Each(0.0));
    EXPECT_EQ(row(words.weight.grad(), 5), row(factors, 1));
    EXPECT_EQ(row(words.weight.grad(), 3), row(factors, 3));
  }
}

TEST(Embedding, ThePaddingStaysOutOfTheSecondOrderToo) {
  for (const bool sparse : {true, false}) {
    nn::Embedding words(
        {.count = 5, .width = 3, .padding = 0, .sparse = sparse, .dtype = DType::f64});
    nn::ones_(words.weight);  // the padding's vector, too, may be anything
    const Tensor out = words(ids_of({0, 3, 1, 0}, {4}));
    const Tensor first =
        grad({sum(out * out * out)}, {words.weight}, {}, {.create_graph = true})[0];
    EXPECT_THAT(row(first, 0), Each(0.0));
    const Tensor second = grad({sum(first * first)}, {words.weight})[0];
    EXPECT_THAT(row(second, 0), Each(0.0));
    EXPECT_THAT(row(second, 3), Each(36.0));  // sum (3 w^2)^2 -> 36 w^3
  }
}

TEST(Embedding, ANaNGradientAtThePaddingGoesNowhere) {
  nn::Embedding words({.count = 5, .width = 2, .padding = 1, .dtype = DType::f64});
  const Tensor factors = tensor({NAN, NAN, 1, 2}, {2, 2}, DType::f64);
  sum(words(ids_of({1, 4}, {2})) * factors).backward();
  EXPECT_THAT(row(words.weight.grad(), 1), ElementsAre(0, 0));
  EXPECT_THAT(row(words.weight.grad(), 4), ElementsAre(1, 2));
}

TEST(Embedding, SumsSparseAndDenseGradientsWhenTied) {
  Generator generator(7);
  const Tensor ids = ids_of({1, 4, 1}, {3});
  const Tensor factors = randn({3, 7}, DType::f64, generator);
  std::vector<double> gradients[2];
  for (const bool sparse : {true, false}) {
    manual_seed(8);
    nn::Embedding words({.count = 7, .width = 5, .sparse = sparse, .dtype = DType::f64});
    sum(linear(words(ids), words.weight) * factors).backward();
    EXPECT_FALSE(words.weight.grad().is_sparse());
    gradients[sparse] = words.weight.grad().array().to_vector<double>();
    const auto forward = [&] { return linear(words(ids), words.weight); };
    const auto report = nn::gradcheck(words, forward);
    EXPECT_TRUE(report) << report.text();
  }
  EXPECT_THAT(gradients[0], testing::Pointwise(testing::DoubleNear(1e-12), gradients[1]));
}

TEST(Embedding, EachWayToSayItsOptionsIsTheSame) {
  const nn::Embedding words(5, 3), padded(5, 3, 4), last(5, 3, {.padding = 4, .sparse = false});
  EXPECT_EQ(words.padding(), -1);
  EXPECT_TRUE(words.sparse());
  EXPECT_EQ(padded.padding(), 4);
  EXPECT_TRUE(padded.sparse());
  EXPECT_THAT(row(padded.weight, 4), Each(0.0));
  EXPECT_THAT(row(padded.weight, 3), Each(testing::Ne(0.0)));
  EXPECT_EQ(last.padding(), 4);
  EXPECT_FALSE(last.sparse());
  EXPECT_EQ(last.weight.shape(), (Shape{5, 3}));
  const nn::Embedding first({.count = 1, .width = 1, .padding = 0});
  EXPECT_THAT(row(first.weight, 0), Each(0.0));
}

TEST(Embedding, ChecksOptionsAndIds) {
  EXPECT_ERROR(ValueError, "Embedding: sizes must be positive: count 0, width 3",
               nn::Embedding(0, 3));
  EXPECT_ERROR(ValueError, "Embedding: padding 7 is not in [-1, 5)",
               nn::Embedding({.count = 5, .width = 3, .padding = 7}));
  EXPECT_ERROR(ValueError, "Embedding: sizes must be positive: count 3, width -1",
               nn::Embedding(3, -1));
  EXPECT_ERROR(ValueError, "Embedding: padding -2 is not in [-1, 5)",
               nn::Embedding({.count = 5, .width = 3, .padding = -2}));
  const nn::Embedding words(5, 3);
  EXPECT_ERROR(IndexError, "embedding: index 5 is out of range [0, 5)", words(ids_of({1, 5}, {2})));
  EXPECT_ERROR(DTypeError, "embedding: indices must be i64, not f32[2]", words(ones({2})));
}

}  // namespace
}  // namespace heed
