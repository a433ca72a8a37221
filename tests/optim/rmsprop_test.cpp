#include "../../optim/rmsprop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"
#include "compare.h"

namespace heed {
namespace {

using optim::RMSprop;
using optim::RMSpropOptions;

// PyTorch's single-tensor loop, one number at a time.
struct Reference {
  RMSpropOptions options;
  double p;
  double square_avg = 0, grad_avg = 0, buffer = 0;
  void step(double g) {
    if (options.weight_decay != 0) g += options.weight_decay * p;
    square_avg = square_avg * options.alpha + (1 - options.alpha) * g * g;
    double average = square_avg;
    if (options.centered) {
      grad_avg = grad_avg * options.alpha + (1 - options.alpha) * g;
      average = square_avg - grad_avg * grad_avg;
    }
    average = std::sqrt(average) + options.eps;
    if (options.momentum > 0) {
      buffer = buffer * options.momentum + g / average;
      p -= options.lr * buffer;
    } else {
      p -= options.lr * g / average;
    }
  }
};

TEST(RMSprop, IsPyTorchsArithmetic) {
  const RMSpropOptions all[] = {{},
                                {.lr = 0.05, .alpha = 0.9, .weight_decay = 0.2, .momentum = 0.7},
                                {.lr = 0.05, .alpha = 0.9, .eps = 1e-3, .centered = true},
                                {.lr = 0.05, .alpha = 0.8, .momentum = 0.5, .centered = true}};
  for (const RMSpropOptions& options : all) {
    expect_same_steps<RMSprop, Reference>(options, DType::f64, 1e-12);
    expect_same_steps<RMSprop, Reference>(options, DType::f32, 2e-5);
  }
}

TEST(RMSprop, ChecksItsOptions) {
  const Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "RMSprop: alpha -0.5 is not in [0, 1]", RMSprop({p}, {.alpha = -0.5}));
  EXPECT_ERROR(ValueError, "RMSprop: momentum nan must be finite and not negative",
               RMSprop({p}, {.momentum = NAN}));
  EXPECT_ERROR(ValueError, "RMSprop: weight_decay -1 must be finite and not negative",
               RMSprop({p}, {.weight_decay = -1}));
  EXPECT_NO_THROW(RMSprop({p}, {.alpha = 0}));
  EXPECT_NO_THROW(RMSprop({p}, {.alpha = 1}));
  EXPECT_ERROR(ValueError, "RMSprop: eps -1 must be finite and not negative",
               RMSprop({p}, {.eps = -1}));
}

}  // namespace
}  // namespace heed
