// What the gradient table cannot say of the connectionist loss: numbers that are none.
#include "../../../../autograd/ops/losses/ctc_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"

namespace heed {
namespace {

std::vector<double> numbers(const Tensor& x) { return x.array().to_vector<double>(); }

// Of the places in which a row may end one cannot be reached, the other is NaN.
TEST(CtcLoss, OfNaNIsNaN) {
  const Tensor targets = tensor({1, 1}, {2, 1}, DType::i64);
  for (const auto& loss : {ctc_loss, ctc_loss_plain}) {
    for (const bool zero_infinity : {false, true}) {
      Tensor x = tensor({-1, -2, -3, -1, NAN, -3}, {1, 2, 3}, DType::f64);
      x.set_requires_grad();
      const Tensor y = loss(x, targets, {1, 1}, {1, 1},
                            {.reduction = Reduction::none, .zero_infinity = zero_infinity});
      EXPECT_EQ(numbers(y)[0], 2);
      EXPECT_TRUE(std::isnan(numbers(y)[1])) << zero_infinity;
      const Tensor g = ones({2}, DType::f64);
      for (const bool again : {true, false}) {
        const auto found = numbers(grad({y}, {x}, {g}, {.create_graph = again})[0]);
        EXPECT_EQ(found[1], -1);
        EXPECT_TRUE(std::isnan(found[4])) << again;
      }
    }
  }
}

}  // namespace
}  // namespace heed
