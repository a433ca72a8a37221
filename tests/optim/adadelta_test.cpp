#include "../../optim/adadelta.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"
#include "compare.h"

namespace heed {
namespace {

using optim::Adadelta;
using optim::AdadeltaOptions;

// PyTorch's single-tensor loop, one number at a time.
struct Reference {
  AdadeltaOptions options;
  double p;
  double square_avg = 0, acc_delta = 0;
  void step(double g) {
    if (options.weight_decay != 0) g += options.weight_decay * p;
    square_avg = square_avg * options.rho + (1 - options.rho) * g * g;
    const double deviation = std::sqrt(square_avg + options.eps);
    const double delta = std::sqrt(acc_delta + options.eps) / deviation * g;
    acc_delta = acc_delta * options.rho + (1 - options.rho) * delta * delta;
    p -= options.lr * delta;
  }
};

TEST(Adadelta, IsPyTorchsArithmetic) {
  const AdadeltaOptions all[] = {{}, {.lr = 0.5, .rho = 0.8, .eps = 1e-3, .weight_decay = 0.2}};
  for (const AdadeltaOptions& options : all) {
    expect_same_steps<Adadelta, Reference>(options, DType::f64, 1e-13);
    expect_same_steps<Adadelta, Reference>(options, DType::f32, 4e-6);
  }
}

TEST(Adadelta, ChecksItsOptions) {
  const Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "Adadelta: rho 1.5 is not in [0, 1]", Adadelta({p}, {.rho = 1.5}));
  EXPECT_ERROR(ValueError, "Adadelta: eps -1 must be finite and not negative",
               Adadelta({p}, {.eps = -1}));
  EXPECT_ERROR(ValueError, "Adadelta: weight_decay -1 must be finite and not negative",
               Adadelta({p}, {.weight_decay = -1}));
}

}  // namespace
}  // namespace heed
