// Runs an optimizer beside a loop over single numbers.
#pragma once

#include <gtest/gtest.h>

#include "../../core/generator.h"
#include "../../optim/optimizer.h"

namespace heed {

/// `Reference` is made from the options and a starting number; step(g) moves its member p.
template <class Optimizer, class Reference, class Options>
void expect_same_steps(const Options& options, DType dtype, double tolerance) {
  Generator generator(2);
  const Index n = 37;
  Tensor p = randn({n}, dtype, generator).set_requires_grad();
  Optimizer optimizer({p}, options);
  std::vector<Reference> references;
  for (const double start : p.array().to(DType::f64).template to_vector<double>()) {
    references.push_back(Reference{options, start});
  }
  for (int step = 0; step < 11; ++step) {
    const Array g = generator.normal({n}, 0, 1, dtype);
    p.set_grad(g);
    optimizer.step();
    const auto numbers = g.to(DType::f64).template to_vector<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) references[i].step(numbers[i]);
  }
  const auto found = p.array().to(DType::f64).template to_vector<double>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], references[i].p, tolerance) << i;
  }
}

}  // namespace heed
