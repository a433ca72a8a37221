#include "../../optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::Adam;
using optim::AdamW;

// PyTorch's single-tensor loop, one number at a time.
struct Reference {
  double lr, beta1, beta2, eps, decay;
  bool decoupled;
  double p;
  double m = 0, v = 0;
  int t = 0;
  void step(double g) {
    ++t;
    if (decoupled) {
      p *= 1 - lr * decay;
    } else {
      g += decay * p;
    }
    m = m * beta1 + (1 - beta1) * g;
    v = v * beta2 + (1 - beta2) * g * g;
    const double correction1 = 1 - std::pow(beta1, t);
    const double correction2 = 1 - std::pow(beta2, t);
    const double denominator = std::sqrt(v) / std::sqrt(correction2) + eps;
    p -= lr / correction1 * m / denominator;
  }
};

template <class Optimizer, class Options>
void compare(const Options& options, bool decoupled, DType dtype, double tolerance) {
  Generator generator(2);
  const Index n = 37;
  Tensor p = randn({n}, dtype, generator).set_requires_grad();
  Optimizer optimizer({p}, options);
  std::vector<Reference> references;
  for (const double start : p.array().to(DType::f64).to_vector<double>()) {
    references.push_back({options.lr, options.betas[0], options.betas[1], options.eps,
                          options.weight_decay, decoupled, start});
  }
  for (int step = 0; step < 7; ++step) {
    const Array g = generator.normal({n}, 0, 1, dtype);
    p.set_grad(g);
    optimizer.step();
    const auto numbers = g.to(DType::f64).to_vector<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) references[i].step(numbers[i]);
  }
  const auto found = p.array().to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], references[i].p, tolerance) << i;
  }
}

TEST(Adam, IsPyTorchsArithmetic) {
  for (const double decay : {0.0, 0.1}) {
    const optim::AdamOptions options = {
        .lr = 0.05, .betas = {0.8, 0.95}, .eps = 1e-3, .weight_decay = decay};
    compare<Adam>(options, false, DType::f64, 1e-13);
    compare<Adam>(options, false, DType::f32, 2e-6);
  }
}

TEST(AdamW, IsPyTorchsArithmetic) {
  compare<AdamW>(optim::AdamWOptions{.lr = 0.05}, true, DType::f64, 1e-13);
  compare<AdamW>(optim::AdamWOptions{.lr = 0.05, .weight_decay = 0.5}, true, DType::f32, 2e-6);
}

TEST(Adam, LargeParametersGetTheSameBitsOnAnyNumberOfThreads) {
  std::vector<float> results[2];
  const int threads = num_threads();
  for (const int count : {1, 2}) {
    set_num_threads(count);
    Generator generator(3);
    Tensor p = randn({100003}, DType::f32, generator).set_requires_grad();
    Adam adam({p});
    for (int step = 0; step < 3; ++step) {
      p.set_grad(generator.normal({100003}, 0, 1));
      adam.step();
    }
    results[count - 1] = p.array().to_vector<float>();
  }
  set_num_threads(threads);
  EXPECT_EQ(results[0], results[1]);
}

TEST(Adam, ChecksItsOptions) {
  const Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "Adam: beta 1 is not in [0, 1)", Adam({p}, {.betas = {0.9, 1}}));
  EXPECT_ERROR(ValueError, "AdamW: beta -0.1 is not in [0, 1)", AdamW({p}, {.betas = {-0.1, 0}}));
  EXPECT_NO_THROW(Adam({p}, {.betas = {0, 0}}));
  EXPECT_ERROR(ValueError, "AdamW: eps -1 must be finite and not negative",
               AdamW({p}, {.eps = -1}));
  EXPECT_ERROR(ValueError, "AdamW: weight_decay nan must be finite and not negative",
               AdamW({p}, {.weight_decay = NAN}));
}

}  // namespace
}  // namespace heed
