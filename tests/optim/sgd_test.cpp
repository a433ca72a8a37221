#include "../../optim/sgd.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::SGD;
using optim::SGDOptions;

Tensor leaf(const std::vector<double>& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64).set_requires_grad();
}

// PyTorch's single-tensor loop, one number at a time.
struct Reference {
  SGDOptions options;
  double p;
  double buffer = 0;
  bool first = true;
  void step(double g) {
    double d = g;
    if (options.weight_decay != 0) d += options.weight_decay * p;
    if (options.momentum != 0) {
      if (first) {
        buffer = d;
      } else {
        buffer = buffer * options.momentum + (1 - options.dampening) * d;
      }
      first = false;
      d = options.nesterov ? d + options.momentum * buffer : buffer;
    }
    p -= options.lr * d;
  }
};

TEST(SGD, IsPyTorchsArithmetic) {
  const std::vector<SGDOptions> all = {
      {.lr = 0.1},
      {.lr = 0.1, .weight_decay = 0.3},
      {.lr = 0.1, .momentum = 0.9},
      {.lr = 0.1, .momentum = 0.9, .dampening = 0.4, .weight_decay = 0.01},
      {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true},
  };
  for (const SGDOptions& options : all) {
    Generator generator(2);
    Tensor p = leaf({0.5, -2, 3});
    SGD sgd({p}, options);
    std::vector<Reference> references;
    for (const double start : p.array().to_vector<double>()) references.push_back({options, start});
    for (int step = 0; step < 5; ++step) {
      const Array g = generator.normal({3}, 0, 1, DType::f64);
      p.set_grad(g);
      sgd.step();
      for (std::size_t i = 0; i < 3; ++i) references[i].step(g.to_vector<double>()[i]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(p.array().to_vector<double>()[i], references[i].p, 1e-14);
    }
  }
}

TEST(SGD, ChecksItsOptions) {
  const Tensor p = leaf({1});
  EXPECT_ERROR(ValueError, "SGD: lr -1 must be finite and not negative", SGD({p}, {.lr = -1}));
  EXPECT_ERROR(ValueError, "SGD: momentum -0.5 must be finite and not negative",
               SGD({p}, {.momentum = -0.5}));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(ValueError, "SGD: dampening inf must be finite",
               SGD({p}, {.momentum = 0.9, .dampening = kInfinity}));
  EXPECT_ERROR(ValueError,
               "SGD: nesterov wants a momentum and no dampening, not momentum 0 and dampening 0",
               SGD({p}, {.nesterov = true}));
  EXPECT_ERROR(
      ValueError,
      "SGD: nesterov wants a momentum and no dampening, not momentum 0.9 and dampening 0.5",
      SGD({p}, {.momentum = 0.9, .dampening = 0.5, .nesterov = true}));
  EXPECT_ERROR(ValueError, "SGD: weight_decay -1 must be finite and not negative",
               SGD({p}, {.weight_decay = -1}));
}

}  // namespace
}  // namespace heed
