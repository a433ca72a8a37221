// What the tests of RNN, GRU, LSTM and their cells share: tables of parameters, the weights of a
// layer, differences and the gradient checks.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../autograd/gradcheck.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/recurrent/cells.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../nn/module.h"
#include "../support/numbers.h"

namespace heed::nn {

/// A line for each parameter: its name, dtype and shape.
inline std::string table(const Module& module) {
  std::string out;
  for (const auto& [name, tensor] : module.named_parameters()) {
    out += name + " " + describe(tensor) + "\n";
  }
  return out;
}

/// Forwards and backwards, of layer `layer` of one that is bidirectional and has biases.
inline std::vector<RnnWeights> both_directions(const Module& module, std::size_t layer) {
  const auto p = module.parameters();
  const std::size_t at = 8 * layer;
  return {{p[at], p[at + 1], p[at + 2], p[at + 3]}, {p[at + 4], p[at + 5], p[at + 6], p[at + 7]}};
}

/// Of first and second order, for 8 and 3 elements of each parameter.
template <class Run>
void expect_gradients(const Module& module, const Run& run) {
  std::vector<NamedLeaf> leaves;
  for (const auto& [name, tensor] : module.named_parameters()) leaves.push_back({name, tensor});
  const GradcheckReport first = gradcheck(run, leaves, {.max_elements = 8});
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(run, leaves, {.max_elements = 3});
  EXPECT_TRUE(second) << second.text();
}

}  // namespace heed::nn
