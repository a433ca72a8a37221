#include <gtest/gtest.h>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/factories.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"

namespace heed {
namespace {

TEST(Gather, ManyGradientsOfOnePlaceKeepTheirDigits) {
  constexpr Index kLong = 1 << 18;
  const Tensor x = zeros({2, 3}, DType::f32).set_requires_grad();
  const Tensor index = full({2, kLong}, 1, DType::i64);
  sum(gather(x, 1, index) * 0.1).backward();
  const auto g = x.grad().array().to_vector<float>();
  const double wanted = static_cast<double>(0.1f) * kLong;
  EXPECT_NEAR(static_cast<double>(g[1]) / wanted, 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(g[4]) / wanted, 1, 1e-6);
  EXPECT_EQ(g[0], 0);
  EXPECT_EQ(g[3], 0);
}

}  // namespace
}  // namespace heed
