#include "../../../../attention/mechanisms/memory/neural_computer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 5, kI = 3, kO = 2, kHidden = 4, kN = 7, kW = 3, kR = 2;

NeuralComputerOptions options() {
  return {.input = kI,
          .output = kO,
          .hidden = kHidden,
          .slots = kN,
          .slot_width = kW,
          .read_heads = kR,
          .dtype = DType::f64};
}

Numbers part(const Numbers& x, Index first, Index count) {
  return {x.begin() + first, x.begin() + first + count};
}

Numbers content(const std::vector<Numbers>& memory, const Numbers& key, double said) {
  const auto norm = [](const Numbers& x) { return std::sqrt(plain::dot(x, x)); };
  Numbers scores;
  for (const Numbers& row : memory) {
    scores.push_back((1 + std::log1p(std::exp(said))) * plain::dot(row, key) / norm(row) /
                     norm(key));
  }
  return plain::softmax(scores, static_cast<Index>(scores.size()));
}

// The paper's equations, one number after the other; outputs, then the reading weights.
Numbers plain_computer(const Leaves& p, const std::vector<Index>& lengths) {
  Numbers outputs, all_weights;
  constexpr std::size_t N = kN;
  for (std::size_t b = 0; b < kB; ++b) {
    std::vector<Numbers> memory(N, Numbers(kW, 1e-6)), link(N, Numbers(N, 0.0));
    std::vector<Numbers> read(kR, Numbers(N, 0.0));
    Numbers usage(N, 0.0), written = usage, precedence = usage, reads(kR * kW, 0.0);
    Numbers h(kHidden, 0.0), c = h;
    for (const Numbers& x : plain::rows_of(p["x"], b, lengths[b])) {
      const Numbers in = plain::join({x, reads});
      const Numbers y = plain::affine(p["controller.weight_ih"], in, p["controller.bias_ih"]);
      const Numbers z = plain::affine(p["controller.weight_hh"], h, p["controller.bias_hh"]);
      for (Index i = 0; i < kHidden; ++i) {
        const auto gate = [&](Index g) { return at(y, g * kHidden + i) + at(z, g * kHidden + i); };
        at(c, i) =
            plain::sigmoid(gate(1)) * at(c, i) + plain::sigmoid(gate(0)) * std::tanh(gate(2));
        at(h, i) = plain::sigmoid(gate(3)) * std::tanh(at(c, i));
      }
      const Numbers said = plain::affine(p["interface.weight"], h, p["interface.bias"]);
      const Index strengths = kR * kW, key = strengths + kR, strength = key + kW;
      const Index erase = strength + 1, add = erase + kW, free = add + kW;
      const Index allocation = free + kR, write = allocation + 1, modes = write + 1;
      for (std::size_t i = 0; i < N; ++i) {
        usage[i] = usage[i] + written[i] - usage[i] * written[i];
        for (Index r = 0; r < kR; ++r) {
          usage[i] *= 1 - plain::sigmoid(at(said, free + r)) * read[static_cast<std::size_t>(r)][i];
        }
      }
      std::vector<std::size_t> order(N);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t i, std::size_t j) { return usage[i] < usage[j]; });
      Numbers allocated(N, 0.0);
      double before = 1;
      for (const std::size_t i : order) {
        allocated[i] = (1 - usage[i]) * before;
        before *= usage[i];
      }
      const Numbers found = content(memory, part(said, key, kW), at(said, strength));
      const double ga = plain::sigmoid(at(said, allocation)), gw = plain::sigmoid(at(said, write));
      double total = 0;
      for (std::size_t i = 0; i < N; ++i) {
        written[i] = gw * (ga * allocated[i] + (1 - ga) * found[i]);
        total += written[i];
        for (Index d = 0; d < kW; ++d) {
          at(memory[i], d) =
              at(memory[i], d) * (1 - written[i] * plain::sigmoid(at(said, erase + d))) +
              written[i] * at(said, add + d);
        }
      }
      for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < N; ++j) {
          link[i][j] =
              i == j ? 0 : (1 - written[i] - written[j]) * link[i][j] + written[i] * precedence[j];
        }
      }
      for (std::size_t i = 0; i < N; ++i) precedence[i] = (1 - total) * precedence[i] + written[i];
      reads.clear();
      for (std::size_t r = 0; r < kR; ++r) {
        const auto own = static_cast<Index>(r);
        const Numbers pi = plain::softmax(part(said, modes + 3 * own, 3), 3);
        const Numbers by = content(memory, part(said, own * kW, kW), at(said, strengths + own));
        Numbers w(N, 0.0), seen(kW, 0.0);
        for (std::size_t i = 0; i < N; ++i) {
          double forwards = 0, backwards = 0;
          for (std::size_t j = 0; j < N; ++j) {
            forwards += link[i][j] * read[r][j];
            backwards += link[j][i] * read[r][j];
          }
          w[i] = pi[0] * backwards + pi[1] * by[i] + pi[2] * forwards;
        }
        for (std::size_t i = 0; i < N; ++i) {
          for (Index d = 0; d < kW; ++d) at(seen, d) += w[i] * at(memory[i], d);
        }
        read[r] = w;
        all_weights = plain::join({all_weights, w});
        reads = plain::join({reads, seen});
      }
      outputs = plain::join(
          {outputs, plain::affine(p["out.weight"], plain::join({h, reads}), p["out.bias"])});
    }
    const auto padding = static_cast<std::size_t>(kT - lengths[b]);
    outputs.resize(outputs.size() + padding * kO, 0.0);
    all_weights.resize(all_weights.size() + padding * kR * N, 0.0);
  }
  return plain::join({outputs, all_weights});
}

class Computers : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(91), true);  // before what is drawn below
  Computers() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  }
  NeuralComputer made{options()};
  Tensor x = randn({kB, kT, kI}, DType::f64);
};

TEST_F(Computers, AreThePapersEquations) {
  const std::vector<Index> lengths = {kT, 3};
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const NeuralComputerOutput seen = made(x, lengths, true);
    return std::vector<Tensor>{seen.output, seen.weights};
  };
  plain::expect_same(
      leaves, ours, [&](const Leaves& p) { return plain_computer(p, lengths); }, 1e-4);
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(Computers, WhatIsBeyondTheLengthChangesNoBit) {
  const Tensor clean = x;
  plain::expect_hidden([&](double beyond) {
    const Tensor dirty = plain::spoiled(clean, {kT, 2}, beyond);
    return plain::bits_of(leaves_of(made, {{"x", dirty}}), [&] {
      return std::vector<Tensor>{made(dirty, {kT, 2}).output};
    });
  });
}

TEST_F(Computers, GoOnStepByStep) {
  NeuralComputerState state = made.begin(kB);
  const Tensor whole = made(x).output;
  for (Index t = 0; t < kT; ++t) {
    EXPECT_EQ(difference(made.step(select(x, 1, t), state), select(whole, 1, t)), 0);
  }
  EXPECT_EQ(made(zeros({kB, 0, kI}, DType::f64), {}, true).weights.shape(), (Shape{kB, 0, kR, kN}));
  EXPECT_EQ(made(zeros({0, kT, kI}, DType::f64)).output.shape(), (Shape{0, kT, kO}));
}

TEST(NeuralComputer, AllocatesTheLeastUsed) {
  const Tensor usage = tensor({{0.5, 0.0, 1.0}, {0.2, 0.9, 0.4}}, DType::f64);
  EXPECT_THAT(numbers(allocate_memory(usage)),
              near(Numbers{0, 1, 0, 0.8, 0.1 * 0.2 * 0.4, 0.6 * 0.2}));
}

// What was written one after the other is read one after the other.
TEST(NeuralComputer, LinksGoInTheOrderOfWriting) {
  Tensor links = zeros({1, 3, 3}, DType::f64), last = zeros({1, 3}, DType::f64);
  for (const Index slot : {2, 0, 1}) {
    const Tensor w = one_hot(Tensor(Array::from(std::vector<Index>{slot})), 3, DType::f64);
    links = link_memory(links, w, last);
    last = w;
  }
  EXPECT_THAT(numbers(links), near(Numbers{0, 0, 1, 1, 0, 0, 0, 0, 0}));  // from 2 to 0, 0 to 1
}

TEST_F(Computers, SayWhatIsWrong) {
  EXPECT_ERROR(
      ValueError,
      "NeuralComputer: input 1, output 1, hidden 64, slots 0, slot_width 16 and read_heads "
      "1 must be positive",
      NeuralComputer({.input = 1, .output = 1, .slots = 0}));
  EXPECT_ERROR(ShapeError, "NeuralComputer: x must be [2, 5, 3], not f64[2, 5, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(DTypeError, "NeuralComputer: x must be f64, not f32[2, 5, 3]",
               made(zeros({kB, kT, kI})));
  EXPECT_ERROR(ShapeError, "NeuralComputer: usage must be [B, N], not f64[3]",
               allocate_memory(zeros({3}, DType::f64)));
  EXPECT_ERROR(ShapeError, "NeuralComputer: links must be [2, 3, 3], not f64[2, 3, 4]",
               link_memory(zeros({2, 3, 4}, DType::f64), zeros({2, 3}, DType::f64),
                           zeros({2, 3}, DType::f64)));
}

}  // namespace
}  // namespace heed::attention
