#include "../../optim/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::clip_grad_norm;
using optim::clip_grad_value;
using testing::ElementsAre;

// Gradients {3, -4} and, in rows 1 and 3 of five, {0, 12}.
struct Clip : testing::Test {
  Tensor dense = zeros({2}, DType::f64).set_requires_grad();
  Tensor table = zeros({5, 1}, DType::f64).set_requires_grad();
  Tensor none = zeros({7}, DType::f64).set_requires_grad();
  std::vector<Tensor> all = {dense, table, none};
  Clip() {
    dense.set_grad(tensor({3, -4}, {2}, DType::f64));
    table.set_grad(Tensor(SparseRows{Array::from(std::vector<std::int64_t>{1, 3}),
                                     Array::from(std::vector<double>{0, 12}, {2, 1}),
                                     {5, 1}}));
  }
  std::vector<double> grad() const { return dense.grad().array().to_vector<double>(); }
  std::vector<double> rows() const { return table.grad().sparse_rows().values.to_vector<double>(); }
};

TEST_F(Clip, ScalesToTheNormAndReturnsTheOldOne) {
  EXPECT_DOUBLE_EQ(clip_grad_norm(all, 6.5), 13);
  const double factor = 6.5 / (13 + 1e-6);
  EXPECT_THAT(grad(), ElementsAre(3 * factor, -4 * factor));
  EXPECT_THAT(rows(), ElementsAre(0, 12 * factor));
  EXPECT_TRUE(table.grad().is_sparse());
  EXPECT_FALSE(none.grad().defined());
}

TEST_F(Clip, LeavesSmallGradientsAlone) {
  EXPECT_DOUBLE_EQ(clip_grad_norm(all, 14), 13);
  EXPECT_THAT(grad(), ElementsAre(3, -4));
  EXPECT_THAT(rows(), ElementsAre(0, 12));
}

TEST_F(Clip, KnowsOtherNorms) {
  EXPECT_DOUBLE_EQ(clip_grad_norm(all, 100, 1), 19);
  EXPECT_DOUBLE_EQ(clip_grad_norm(all, 100, INFINITY), 12);
  EXPECT_DOUBLE_EQ(clip_grad_norm(all, 100, 3), std::cbrt(27 + 64 + 1728));
  EXPECT_EQ(clip_grad_norm({none}, 1), 0);
  dense.set_grad(tensor({0.25, -0.5}, {2}, DType::f64));
  EXPECT_EQ(clip_grad_norm({dense}, 100, INFINITY), 0.5);
  EXPECT_DOUBLE_EQ(clip_grad_norm_({dense}, 100), std::sqrt(0.3125));
}

TEST_F(Clip, ANormThatIsNotFiniteFollowsPyTorch) {
  dense.set_grad(tensor({3, INFINITY}, {2}, DType::f64));
  EXPECT_ERROR(ValueError, "clip_grad_norm: the norm is inf", clip_grad_norm(all, 1, 2, true));
  EXPECT_THAT(grad(), ElementsAre(3, INFINITY));
  EXPECT_EQ(clip_grad_norm(all, 1), INFINITY);
  EXPECT_THAT(grad(), ElementsAre(0, testing::IsNan()));
  dense.set_grad(tensor({3, NAN}, {2}, DType::f64));
  EXPECT_TRUE(std::isnan(clip_grad_norm(all, 1, INFINITY)));
  EXPECT_THAT(rows(), testing::Each(testing::IsNan()));
}

TEST_F(Clip, ByValueClampsEachElement) {
  clip_grad_value(all, 3.5);
  EXPECT_THAT(grad(), ElementsAre(3, -3.5));
  EXPECT_THAT(rows(), ElementsAre(0, 3.5));
}

TEST_F(Clip, TakesAnyStrides) {
  dense.set_grad(Array::full({}, 6, DType::f64).expand({2}));
  EXPECT_DOUBLE_EQ(clip_grad_norm({dense}, 1), std::sqrt(72.0));
  const double factor = 1 / (std::sqrt(72.0) + 1e-6);
  EXPECT_THAT(grad(), ElementsAre(6 * factor, 6 * factor));
}

TEST_F(Clip, LargeNormsAreTheSameBitsOnAnyNumberOfThreads) {
  const int threads = num_threads();
  double norms[2], reference = 0;
  Tensor large = zeros({100003}).set_requires_grad();
  const Array g = Generator(3).normal({100003}, 0, 1);
  for (const float x : g.to_vector<float>()) reference += static_cast<double>(x) * x;
  large.set_grad(g);
  for (const int count : {1, 2}) {
    set_num_threads(count);
    norms[count - 1] = clip_grad_norm({large}, 1e9);
  }
  set_num_threads(threads);
  EXPECT_EQ(norms[0], norms[1]);
  EXPECT_NEAR(norms[0], std::sqrt(reference), 1e-9);
}

// The numbers stand in a longer memory, of which the rest is not theirs.
TEST_F(Clip, SumsAllOfAGradientAndNoMore) {
  for (const Index n : {1, 7, 8, 13, 15, 16, 16383, 16384, 16385, 32769}) {
    Tensor p = zeros({n}, DType::f64).set_requires_grad();
    Array memory = Array::full({n + 17}, 1e6, DType::f64);
    Array g = memory.slice(0, 3, n + 3);
    std::fill_n(g.mutable_data<double>(), n, -1.0);
    p.set_grad(g);
    EXPECT_EQ(clip_grad_norm({p}, 1e9, 1), static_cast<double>(n));
    EXPECT_EQ(clip_grad_norm({p}, 1e9, INFINITY), 1);
    clip_grad_value({p}, 0.5);
    EXPECT_EQ(clip_grad_norm({p}, 1e9, 1), static_cast<double>(n) / 2);
    EXPECT_EQ(memory.data<double>()[2], 1e6);
    EXPECT_EQ(memory.data<double>()[n + 3], 1e6);
  }
}

TEST_F(Clip, SaysThatItHasWritten) {
  const Array g = dense.grad().array();
  const auto version = g.version();
  clip_grad_norm({dense}, 100);
  EXPECT_EQ(g.version(), version);
  clip_grad_norm({dense}, 0.5);
  EXPECT_GT(g.version(), version);
  const auto now = g.version();
  clip_grad_value({dense}, 0.1);
  EXPECT_GT(g.version(), now);
}

TEST_F(Clip, ToNothingLeavesZeros) {
  clip_grad_norm({dense}, 0);
  EXPECT_THAT(grad(), ElementsAre(0, 0));
  dense.set_grad(tensor({3, -4}, {2}, DType::f64));
  clip_grad_value({dense}, 0);
  EXPECT_THAT(grad(), ElementsAre(0, 0));
}

TEST_F(Clip, AGradientThatDoesNotFitChangesNothing) {
  const Tensor given = zeros({2}, DType::f64);
  none.set_grad(zeros({7}, DType::f64));
  Tensor(none.grad()).set_array(Array::zeros({5}, DType::f64));
  EXPECT_ERROR(ShapeError, "clip_grad_norm: a gradient of f64[5] for a parameter of f64[7]",
               clip_grad_norm(all, 1));
  EXPECT_ERROR(ShapeError, "clip_grad_value: a gradient of f64[5] for a parameter of f64[7]",
               clip_grad_value(all, 1));
  EXPECT_THAT(grad(), ElementsAre(3, -4));
}

TEST_F(Clip, ChecksItsArguments) {
  EXPECT_ERROR(ValueError, "clip_grad_norm: max_norm -1 is negative", clip_grad_norm(all, -1));
  EXPECT_ERROR(ValueError, "clip_grad_norm: norm_type 0 is not positive",
               clip_grad_norm(all, 1, 0));
  EXPECT_ERROR(ValueError, "clip_grad_value: limit nan is negative", clip_grad_value(all, NAN));
}

TEST_F(Clip, ByTheNamesOfPyTorch) {
  nn::utils::clip_grad_value_({dense}, 3.5);
  EXPECT_THAT(dense.grad().array().to_vector<double>(), ElementsAre(3, -3.5));
}

TEST_F(Clip, ScalesRecordedGradientsOnce) {
  const Tensor a = zeros({3}, DType::f64).set_requires_grad();
  const Tensor b = zeros({3}, DType::f64).set_requires_grad();
  const Tensor seed = tensor({2, 3, 6}, {3}, DType::f64);
  (a + b).backward(seed, {.create_graph = true});
  EXPECT_NEAR(clip_grad_norm({a, b}, 7 / std::sqrt(2)), 7 * std::sqrt(2), 1e-12);
  for (const Tensor& each : {a, b}) {
    EXPECT_THAT(each.grad().array().to_vector<double>(),
                testing::Pointwise(testing::DoubleNear(1e-5), std::vector<double>{1, 1.5, 3}));
  }
  EXPECT_THAT(seed.array().to_vector<double>(), ElementsAre(2, 3, 6));
}

}  // namespace
}  // namespace heed
