#include "../../../attention/scores/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../attention/attend.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../mechanisms/plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kQ = 3, kK = 5, kD = 2;

TEST(Gaussian, IsItsFormula) {
  manual_seed(49);
  const Gaussian made;
  const Tensor q = randn({kQ, kD + 1}, DType::f64), k = randn({kK, kD}, DType::f64);
  const auto leaves = leaves_of(made, {{"q", q}, {"k", k}});
  const auto ours = [&] { return std::vector<Tensor>{made(q, k)}; };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    Numbers out;
    for (Index i = 0; i < kQ; ++i) {
      for (Index j = 0; j < kK; ++j) {
        double squares = 0;
        for (Index d = 0; d < kD; ++d) squares += std::pow(p["q"](i, d) - p["k"](j, d), 2);
        out.push_back(-squares / (2 * std::exp(p["q"](i, kD))));
      }
    }
    return out;
  });
  plain::expect_gradients(leaves, ours);
}

// Also where the square of a number leaves its range.
TEST(Gaussian, SeesNothingOfMaskedKeys) {
  manual_seed(50);
  const Gaussian made;
  const Tensor q = randn({kQ, kD + 1}, DType::f64), k = randn({kK, kD}, DType::f64);
  const Tensor v = randn({kK, 7}, DType::f64);
  const auto bits = [&](double value) {
    const Tensor keys = where(unsqueeze(arange(kK) == 3, -1), value, k).detach();
    const Mask mask(arange(kK) != 3);
    return plain::bits_of(leaves_of(made, {{"q", q}, {"k", keys}}), [&] {
      return std::vector<Tensor>{attend(made, q, keys, v, {.mask = mask}).context};
    });
  };
  plain::expect_hidden(bits);
  EXPECT_TRUE(bits(1e200) == bits(0));
}

}  // namespace
}  // namespace heed::attention
