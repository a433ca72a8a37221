#include "../../optim/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace heed
