#include "../../../../attention/mechanisms/memory/dynamic_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 3, kN = 5, kD = 4, kHidden = 3, kHops = 2;
const std::vector<Index> kLengths = {kN, 2, 0};

// Fact by fact; memories, then the weights of each reading.
Numbers plain_memory(const Leaves& p) {
  Numbers memories, weights[kHops];
  for (std::size_t b = 0; b < kB; ++b) {
    const auto facts = plain::rows_of(p["facts"], b, kLengths[b]);
    const Numbers q = p["question"].row({static_cast<Index>(b)});
    Numbers m = q;
    for (Index hop = 0; hop < kHops; ++hop) {
      Numbers e(kN, 0.0);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        Numbers z[4];
        for (Index d = 0; d < kD; ++d) {
          z[0].push_back(at(facts[i], d) * at(q, d));
          z[1].push_back(at(facts[i], d) * at(m, d));
          z[2].push_back(std::fabs(at(facts[i], d) - at(q, d)));
          z[3].push_back(std::fabs(at(facts[i], d) - at(m, d)));
        }
        const Numbers inner = plain::tanh(plain::affine(p["score_projection.weight"],
                                                        plain::join({z[0], z[1], z[2], z[3]}),
                                                        p["score_projection.bias"]));
        e[i] = plain::dot(inner, p["score_vector"].values());
      }
      const Numbers g = plain::softmax(e, kLengths[b]);
      Numbers h(kD, 0.0);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const Numbers from = plain::affine(p["read.input_projection.weight"], facts[i],
                                           p["read.input_projection.bias"]);
        const Numbers back = plain::affine(p["read.state_projection.weight"], h);
        for (Index d = 0; d < kD; ++d) {
          const double r = plain::sigmoid(at(from, d) + at(back, d));
          const double next = std::tanh(at(from, kD + d) + r * at(back, kD + d));
          at(h, d) = g[i] * next + (1 - g[i]) * at(h, d);
        }
      }
      const std::string own = "updates." + std::to_string(hop);
      m = plain::affine(p[own + ".weight"], plain::join({m, h, q}), p[own + ".bias"]);
      for (double& each : m) each = std::max(each, 0.0);
      weights[hop].insert(weights[hop].end(), g.begin(), g.end());
    }
    memories = plain::join({memories, m});
  }
  return plain::join({memories, weights[0], weights[1]});
}

TEST(DynamicMemory, IsThePapersEquations) {
  manual_seed(71);
  const DynamicMemory made({.width = kD, .hidden = kHidden, .hops = kHops, .dtype = DType::f64});
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  const Tensor facts = randn({kB, kN, kD}, DType::f64), question = randn({kB, kD}, DType::f64);
  const auto leaves = leaves_of(made, {{"facts", facts}, {"question", question}});
  const auto ours = [&] {
    const DynamicMemoryOutput seen = made(facts, question, Mask::lengths(kLengths, kN), true);
    return std::vector<Tensor>{seen.memory, seen.weights[0], seen.weights[1]};
  };
  plain::expect_same(leaves, ours, plain_memory);
  plain::expect_gradients(leaves, ours, 3);
}

TEST(DynamicMemory, RefusesWhatDoesNotFit) {
  const DynamicMemory made({.width = kD});
  const Tensor facts = zeros({kB, kN, kD}), question = zeros({kB, kD});
  EXPECT_ERROR(ShapeError, "dynamic_memory: facts must be [.., n, 4], not f32[3, 5, 2]",
               made(zeros({kB, kN, 2}), question));
  EXPECT_ERROR(ShapeError, "dynamic_memory: question must be [.., n, 4], not f32[3, 5]",
               made(facts, zeros({kB, 5})));
  EXPECT_ERROR(ShapeError, "dynamic_memory: question must be [3, 4], not f32[2, 4]",
               made(facts, zeros({2, kD})));
  EXPECT_ERROR(DTypeError, "dynamic_memory: facts must be f32, not f64[3, 5, 4]",
               made(zeros({kB, kN, kD}, DType::f64), question));
  EXPECT_ERROR(ValueError,
               "dynamic_memory: width 4 and hops 0 must be positive, hidden 0 not "
               "negative",
               DynamicMemory({.width = kD, .hops = 0}));
  EXPECT_ERROR(ShapeError, "read: dynamic_memory: weights must be [3, 5], not f32[3, 4]",
               made.read(facts, zeros({kB, 4})));
}

}  // namespace
}  // namespace heed::attention
