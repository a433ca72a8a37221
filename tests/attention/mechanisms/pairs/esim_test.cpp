#include "../../../../attention/mechanisms/pairs/esim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Rows = std::vector<Numbers>;

constexpr std::size_t kB = 3, kL = 5, kT = 4, kD = 3, kH = 2;
const std::vector<Index> kPremises = {kL, 2, 0}, kHypotheses = {3, kT, 2};

Rows one_way(const Leaves& p, const std::string& name, const std::string& way, const Rows& x) {
  Rows out;
  Numbers h(kH, 0.0), c(kH, 0.0);
  const auto of = [&](const std::string& what) { return p[name + "." + what + "_l0" + way]; };
  for (const Numbers& word : x) {
    Numbers gates = plain::add(plain::affine(of("weight_ih"), word, of("bias_ih")),
                               plain::affine(of("weight_hh"), h, of("bias_hh")));
    for (std::size_t i = 0; i < kH; ++i) {
      c[i] = plain::sigmoid(gates[kH + i]) * c[i] +
             plain::sigmoid(gates[i]) * std::tanh(gates[2 * kH + i]);
      h[i] = plain::sigmoid(gates[3 * kH + i]) * std::tanh(c[i]);
    }
    out.push_back(h);
  }
  return out;
}

Rows both_ways(const Leaves& p, const std::string& name, Rows x) {
  const Rows there = one_way(p, name, "", x);
  std::reverse(x.begin(), x.end());
  Rows back = one_way(p, name, "_reverse", x);
  std::reverse(back.begin(), back.end());
  Rows out;
  for (std::size_t t = 0; t < x.size(); ++t) out.push_back(plain::join({there[t], back[t]}));
  return out;
}

struct Side {
  Rows v, weights;
};

// m, read again.
Side composed(const Leaves& p, const Rows& own, const Rows& other) {
  Side out;
  Rows read;
  for (const Numbers& token : own) {
    Numbers scores, seen(2 * kH, 0.0);
    for (const Numbers& word : other) scores.push_back(plain::dot(token, word));
    scores = plain::softmax(scores, static_cast<Index>(other.size()));
    for (std::size_t j = 0; j < other.size(); ++j) {
      for (std::size_t c = 0; c < 2 * kH; ++c) seen[c] += scores[j] * other[j][c];
    }
    Numbers less, times;
    for (std::size_t c = 0; c < 2 * kH; ++c) less.push_back(token[c] - seen[c]);
    for (std::size_t c = 0; c < 2 * kH; ++c) times.push_back(token[c] * seen[c]);
    read.push_back(plain::affine(p["projection.weight"], plain::join({token, seen, less, times}),
                                 p["projection.bias"]));
    for (double& each : read.back()) each = std::max(each, 0.0);
    out.weights.push_back(scores);
  }
  out.v = both_ways(p, "composition", read);
  return out;
}

// The rows, each filled up to a width, and up to so many.
Numbers padded(Rows rows, std::size_t count, std::size_t width) {
  rows.resize(count);
  for (Numbers& row : rows) row.resize(width, 0.0);
  return plain::join(rows);
}

Numbers pooled(const Rows& v) {
  Numbers means(2 * kH, 0.0), most(2 * kH, v.empty() ? 0.0 : -INFINITY);
  for (const Numbers& token : v) {
    for (std::size_t c = 0; c < 2 * kH; ++c) {
      means[c] += token[c] / static_cast<double>(v.size());
      most[c] = std::max(most[c], token[c]);
    }
  }
  return plain::join({means, most});
}

Numbers plain_esim(const Leaves& p) {
  Rows parts(5);
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows a = both_ways(p, "encoder", plain::rows_of(p["premise"], b, kPremises[b]));
    const Rows c = both_ways(p, "encoder", plain::rows_of(p["hypothesis"], b, kHypotheses[b]));
    const Side premise = composed(p, a, c), hypothesis = composed(p, c, a);
    const Rows of_b = {padded(hypothesis.v, kT, 2 * kH), padded(premise.v, kL, 2 * kH),
                       plain::join({pooled(premise.v), pooled(hypothesis.v)}),
                       padded(hypothesis.weights, kT, kL), padded(premise.weights, kL, kT)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].insert(parts[i].end(), of_b[i].begin(), of_b[i].end());
    }
  }
  return plain::join(parts);
}

class Esim : public SeededTest<31> {
 protected:
  const ESIM made{{.width = kD, .hidden = kH, .dtype = DType::f64}};
  Tensor premise = randn({kB, kL, kD}, DType::f64), hypothesis = randn({kB, kT, kD}, DType::f64);

  std::vector<Tensor> run(const Tensor& a, const Tensor& b) const {
    const PairOutput seen = made(a, b, kPremises, kHypotheses, true);
    return {seen.context, seen.premise, seen.pair, seen.weights, seen.premise_weights};
  }
};

TEST_F(Esim, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
  const auto ours = [&] { return run(premise, hypothesis); };
  plain::expect_same(leaves, ours, plain_esim);
  plain::expect_gradients(leaves, ours, 0);
  plain::expect_gradients(
      leaves, [&] { return std::vector{made(premise, hypothesis, kPremises, kHypotheses).pair}; },
      3);
}

TEST_F(Esim, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(premise, kPremises, value),
           b = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"premise", a}, {"hypothesis", b}}),
                          [&] { return run(a, b); });
  });
}

// The same parameters read both sides.
TEST_F(Esim, TurnedRoundItGivesTheSameTurnedRound) {
  const Tensor there = made(premise, hypothesis).pair, back = made(hypothesis, premise).pair;
  EXPECT_THAT(numbers(narrow(back, 1, 0, 4 * kH)), near(narrow(there, 1, 4 * kH, 4 * kH)));
  EXPECT_THAT(numbers(narrow(back, 1, 4 * kH, 4 * kH)), near(narrow(there, 1, 0, 4 * kH)));
}

TEST_F(Esim, DropsInTrainingOnly) {
  ESIM some({.width = kD, .hidden = kH, .dropout = 0.5, .dtype = DType::f64});
  const auto drawn = [&] { return numbers(some(premise, hypothesis).pair); };
  EXPECT_NE(drawn(), drawn());
  some.eval();
  EXPECT_EQ(drawn(), drawn());
}

TEST_F(Esim, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "esim: width 2 and hidden 0 must be positive",
               ESIM none({.width = 2, .hidden = 0}));
  EXPECT_ERROR_WITH(ShapeError, "esim: premise must be [.., n, 3], not f64[3, 5, 2]",
                    made(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR_WITH(ShapeError, "esim: hypothesis must have 3 rows, not 2",
                    made(premise, narrow(hypothesis, 0, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "esim: mask: length 6 of row 1 is not in [0, 5]",
                    made(premise, hypothesis, {1, 6, 1}));
  EXPECT_ERROR_WITH(DTypeError, "esim: premise must be f64",
                    made(to(premise, DType::f32), hypothesis));
}

}  // namespace
}  // namespace heed::attention
