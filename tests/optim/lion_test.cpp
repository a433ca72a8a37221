#include "../../optim/lion.h"

#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::optim {
namespace {

TEST(Lion, FollowsItsFormula) {
  Tensor p = tensor({1, -2, 3}, {3}, DType::f64).set_requires_grad();
  Lion lion({p}, {.lr = 0.1, .betas = {0.8, 0.6}, .weight_decay = 0.5});
  std::vector<double> x = {1, -2, 3}, m = {0, 0, 0};
  const std::vector<std::vector<double>> gradients = {{1, -3, 0}, {-1.5, 2, 0}, {0.1, 0.1, -2}};
  for (const auto& g : gradients) {
    p.set_grad(tensor(g, {3}, DType::f64));
    lion.step();
    for (std::size_t i = 0; i < 3; ++i) {
      const double c = 0.8 * m[i] + 0.2 * g[i];
      x[i] -= 0.1 * (static_cast<double>((c > 0) - (c < 0)) + 0.5 * x[i]);
      m[i] = 0.6 * m[i] + 0.4 * g[i];
    }
    const auto found = p.array().to_vector<double>();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], x[i], 1e-14);
  }
  const auto state = lion.state_dict();
  EXPECT_EQ(state.back().first, "parameters.0.exp_avg");
  Lion other({p}, 0.1);
  other.load_state_dict(state);
  EXPECT_EQ(other.state_dict().back().second.to_vector<double>(),
            state.back().second.to_vector<double>());
}

TEST(Lion, RefusesWhatMakesNoSense) {
  const Tensor p = zeros({3}).set_requires_grad();
  EXPECT_THROW(Lion({p}, {.lr = -1}), ValueError);
  EXPECT_ERROR(ValueError, "Lion: beta1 1.5 is not in [0, 1]", Lion({p}, {.betas = {1.5, 0.9}}));
  EXPECT_ERROR(ValueError, "Lion: beta2 -0.5 is not in [0, 1]", Lion({p}, {.betas = {0.9, -0.5}}));
  EXPECT_NO_THROW(Lion({p}, {.betas = {0, 1}}));
  EXPECT_ERROR(ValueError, "Lion: weight_decay -1 must be finite and not negative",
               Lion({p}, {.weight_decay = -1}));
}

}  // namespace
}  // namespace heed::optim
