#include "../../optim/adagrad.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"
#include "compare.h"

namespace heed {
namespace {

using optim::Adagrad;
using optim::AdagradOptions;

// PyTorch's single-tensor loop, one number at a time.
struct Reference {
  AdagradOptions options;
  double p;
  double sum = options.initial_accumulator_value;
  int t = 0;
  void step(double g) {
    ++t;
    if (options.weight_decay != 0) g += options.weight_decay * p;
    const double rate = options.lr / (1 + (t - 1) * options.lr_decay);
    sum += g * g;
    p += -rate * g / (std::sqrt(sum) + options.eps);
  }
};

TEST(Adagrad, IsPyTorchsArithmetic) {
  const AdagradOptions all[] = {
      {},
      {.lr = 0.3, .lr_decay = 0.1},
      {.lr = 0.3, .weight_decay = 0.2, .initial_accumulator_value = 0.5, .eps = 1e-3}};
  for (const AdagradOptions& options : all) {
    expect_same_steps<Adagrad, Reference>(options, DType::f64, 1e-13);
    expect_same_steps<Adagrad, Reference>(options, DType::f32, 4e-6);
  }
}

TEST(Adagrad, ChecksItsOptions) {
  const Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "Adagrad: lr_decay -1 must be finite and not negative",
               Adagrad({p}, {.lr_decay = -1}));
  EXPECT_ERROR(ValueError, "Adagrad: weight_decay -1 must be finite and not negative",
               Adagrad({p}, {.weight_decay = -1}));
  EXPECT_ERROR(ValueError, "Adagrad: eps nan must be finite and not negative",
               Adagrad({p}, {.eps = NAN}));
  EXPECT_ERROR(ValueError, "Adagrad: initial_accumulator_value inf must be finite and not negative",
               Adagrad({p}, {.initial_accumulator_value = INFINITY}));
  EXPECT_ERROR(ValueError, "Adagrad: lr nan must be finite and not negative",
               Adagrad({p}, {.lr = NAN}));
}

}  // namespace
}  // namespace heed
