#include "../../../../attention/mechanisms/memory/lstmn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 3, kT = 5, kI = 2, kH = 4, kA = 7;
const std::vector<Index> kLengths = {kT, 0, 3};

struct Plain {
  Numbers h, c, weights;  // [steps, H], [steps, H], [steps, steps]
};

// One layer over one sequence, x [steps, I].
Plain reference(const LSTMNCell& cell, const Numbers& x, Index I, Index steps, Index span,
                double recency) {
  const Numbers wh = numbers(cell.hidden_attention.weight),
                wt = numbers(cell.summary_attention.weight);
  const Numbers wx = numbers(cell.input_attention.weight), v = numbers(cell.score_vector);
  const Numbers w = numbers(cell.gates.weight_ih), u = numbers(cell.gates.weight_hh);
  const Numbers bw = numbers(cell.gates.bias_ih), bu = numbers(cell.gates.bias_hh);
  Plain out;
  Numbers summary(kH, 0.0);
  for (Index t = 0; t < steps; ++t) {
    Numbers s(static_cast<std::size_t>(steps), 0.0), htilde(kH, 0.0), ctilde(kH, 0.0);
    double total = 0;
    const Index first = span < 0 ? 0 : std::max<Index>(0, t - span);
    for (Index i = first; i < t; ++i) {
      double score = -recency * static_cast<double>(t - 1 - i);
      for (Index a = 0; a < kA; ++a) {
        double unit = 0;
        for (Index k = 0; k < kH; ++k) {
          unit += at(wh, a * kH + k) * at(out.h, i * kH + k) + at(wt, a * kH + k) * at(summary, k);
        }
        for (Index k = 0; k < I; ++k) unit += at(wx, a * I + k) * at(x, t * I + k);
        score += at(v, a) * std::tanh(unit);
      }
      at(s, i) = std::exp(score);
      total += at(s, i);
    }
    for (Index i = first; i < t; ++i) {
      at(s, i) /= total;
      for (Index k = 0; k < kH; ++k) {
        at(htilde, k) += at(s, i) * at(out.h, i * kH + k);
        at(ctilde, k) += at(s, i) * at(out.c, i * kH + k);
      }
    }
    summary = htilde;
    for (Index k = 0; k < kH; ++k) {
      double gate[4];
      for (Index g = 0; g < 4; ++g) {
        const Index row = g * kH + k;
        gate[g] = at(bw, row) + at(bu, row);
        for (Index j = 0; j < I; ++j) gate[g] += at(w, row * I + j) * at(x, t * I + j);
        for (Index j = 0; j < kH; ++j) gate[g] += at(u, row * kH + j) * at(htilde, j);
      }
      const double c =
          plain::sigmoid(gate[1]) * at(ctilde, k) + plain::sigmoid(gate[0]) * std::tanh(gate[2]);
      out.c.push_back(c);
      out.h.push_back(plain::sigmoid(gate[3]) * std::tanh(c));
    }
    out.weights.insert(out.weights.end(), s.begin(), s.end());
  }
  return out;
}

LSTMNOptions small(Index layers, Index span, double recency = 0) {
  return {.input = kI,
          .hidden = kH,
          .layers = layers,
          .attention = kA,
          .span = span,
          .recency = recency,
          .dtype = DType::f64};
}

TEST(LSTMN, IsTheDefinition) {
  const std::pair<Index, double> cases[] = {{-1, 0}, {2, 0}, {1, 0}, {-1, 0.7}, {3, 0.7}};
  for (const auto& [span, recency] : cases) {
    manual_seed(3);
    const LSTMN model(small(2, span, recency));
    for (const Tensor& p : model.parameters()) nn::normal_(p, 0, 0.6);
    const Tensor x = randn({kB, kT, kI}, DType::f64);
    const LSTMNOutput out = model(x, kLengths, true), alone = model(x, kLengths);
    EXPECT_TRUE(alone.weights.empty());
    for (Index b = 0; b < kB; ++b) {
      const Index n = kLengths[static_cast<std::size_t>(b)];
      const auto own = [&](const Tensor& all) { return narrow(select(all, 0, b), 0, 0, n); };
      const Plain below = reference(model.layers[0], numbers(own(x)), kI, n, span, recency);
      const Plain top = reference(model.layers[1], below.h, kH, n, span, recency);
      EXPECT_THAT(numbers(own(out.output)), near(top.h, 1e-10));
      EXPECT_THAT(numbers(own(out.memory)), near(top.c, 1e-10));
      EXPECT_THAT(numbers(own(alone.output)), near(top.h, 1e-10));
      EXPECT_THAT(numbers(narrow(own(out.weights[0]), 1, 0, n)), near(below.weights, 1e-10));
      EXPECT_THAT(numbers(narrow(own(out.weights[1]), 1, 0, n)), near(top.weights, 1e-10));
      for (const Tensor& all : {out.output, out.memory, out.weights[0], out.weights[1]}) {
        EXPECT_THAT(numbers(narrow(select(all, 0, b), 0, n, kT - n)), Each(0));
      }
    }
  }
}

TEST(LSTMN, StepByStepIsAllAtOnce) {
  manual_seed(5);
  const LSTMN model(small(1, 3));
  const Tensor x = randn({kB, kT, kI}, DType::f64);
  const LSTMNOutput all = model(x, {}, true);
  LSTMNState state;
  for (Index t = 0; t < kT; ++t) {
    Tensor weights;
    const LstmState now = model.layers[0](select(x, 1, t), state, &weights);
    EXPECT_THAT(numbers(now.h), near(select(all.output, 1, t)));
    EXPECT_THAT(numbers(now.c), near(select(all.memory, 1, t)));
    ASSERT_EQ(weights.defined(), t > 0);
    if (t == 0) continue;
    const Index n = std::min<Index>(t, 3);
    EXPECT_THAT(numbers(weights), near(narrow(select(all.weights[0], 1, t), 1, t - n, n)));
  }
}

TEST(LSTMN, OfGreatRecencyIsAnLSTM) {
  manual_seed(6);
  const LSTMN model(small(1, -1, 1000));
  const nn::LSTMCell& gates = model.layers[0].gates;
  const Tensor x = randn({kB, kT, kI}, DType::f64);
  const Tensor output = model(x).output;
  LstmState state;
  for (Index t = 0; t < kT; ++t) {
    state = gates(select(x, 1, t), state);
    EXPECT_THAT(numbers(select(output, 1, t)), near(state.h));
  }
}

TEST(LSTMN, HasGradientsOfFirstAndSecondOrder) {
  manual_seed(7);
  const LSTMN model(small(2, 3, 0.3));
  for (const Tensor& p : model.parameters()) nn::normal_(p, 0, 0.6);
  const Tensor x = randn({kB, kT, kI}, DType::f64);
  const auto leaves = plain::leaves_of(model, {{"x", x}});
  for (const bool need_weights : {false, true}) {
    const std::function<std::vector<Tensor>()> run = [&] {
      const LSTMNOutput out = model(x, kLengths, need_weights);
      std::vector<Tensor> all = {out.output, out.memory};
      all.insert(all.end(), out.weights.begin(), out.weights.end());
      return all;
    };
    const auto first = gradcheck(run, leaves, {.step = 1e-4, .max_elements = 12});
    EXPECT_TRUE(first) << first.text();
    const auto second = gradgradcheck(run, leaves, {.step = 1e-4, .max_elements = 4});
    EXPECT_TRUE(second) << second.text();
  }
}

TEST(LSTMN, WhatIsBeyondTheLengthChangesNoBit) {
  manual_seed(9);
  const LSTMN model(small(2, -1));
  const Tensor clean = randn({kB, kT, kI}, DType::f64);
  for (const bool need_weights : {false, true}) {
    plain::expect_hidden([&](double beyond) {
      const Tensor x = plain::spoiled(clean, kLengths, beyond);
      return plain::bits_of(plain::leaves_of(model, {{"x", x}}), [&] {
        const LSTMNOutput out = model(x, kLengths, need_weights);
        return std::vector{out.output, out.memory};
      });
    });
  }
  EXPECT_EQ(model(zeros({0, kT, kI}, DType::f64), {}, true).weights[1].shape(), (Shape{0, kT, kT}));
  EXPECT_EQ(model(zeros({kB, 0, kI}, DType::f64), {}, true).weights[1].shape(), (Shape{kB, 0, 0}));
  EXPECT_EQ(model(zeros({kB, 0, kI}, DType::f64)).memory.shape(), (Shape{kB, 0, kH}));
}

TEST(LSTMN, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "LSTMN: a span of 0 steps; -1 is no bound",
               LSTMN({.input = 2, .hidden = 3, .span = 0}));
  EXPECT_ERROR(ValueError,
               "LSTMN: input 2, hidden 3 and layers 0 must be positive, attention 0 not negative",
               LSTMN({.input = 2, .hidden = 3, .layers = 0}));
  for (const double recency : {-1e-9, HUGE_VAL, std::nan("")}) {
    EXPECT_ERROR_WITH(ValueError, "LSTMN: a recency of ", LSTMN(small(1, -1, recency)));
  }
  const LSTMN model(small(1, -1));
  EXPECT_ERROR(ShapeError, "LSTMN: x must be [B, T, 2], not f64[3, 5, 3]",
               model(zeros({kB, kT, 3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "LSTMN: x must be f64, not f32[3, 5, 2]", model(zeros({kB, kT, kI})));
  EXPECT_ERROR(ShapeError, "LSTMN: 2 lengths for 3 rows of x",
               model(zeros({kB, kT, kI}, DType::f64), {1, 1}));
  EXPECT_ERROR(GradError, "LSTMN: x is undefined", model(Tensor()));
  LSTMNState state;
  model.layers[0](zeros({kB, kI}, DType::f64), state);
  EXPECT_ERROR_WITH(ShapeError, "LSTMN: ", model.layers[0](zeros({2, kI}, DType::f64), state));
  EXPECT_ERROR_WITH(ShapeError, "LSTMN: ", model.layers[0](zeros({kB, 3}, DType::f64), state));
}

TEST(Lstmn, AStreamGoesOnInPieces) {
  const LSTMN net({.input = kI, .hidden = kH, .layers = 2, .span = 3, .dtype = DType::f64});
  const Tensor x = randn({kB, kT, kI}, DType::f64);
  const LSTMNOutput whole = net(x);
  std::vector<LSTMNState> states;
  std::vector<Tensor> output, memory;
  for (const auto& [first, count] : {std::pair{0, 2}, {2, 0}, {2, 3}}) {
    const LSTMNOutput part = net(narrow(x, 1, first, count), states);
    output.push_back(part.output);
    memory.push_back(part.memory);
  }
  EXPECT_THAT(numbers(concat(output, 1)),
              testing::Pointwise(testing::DoubleNear(1e-13), numbers(whole.output)));
  EXPECT_THAT(numbers(concat(memory, 1)),
              testing::Pointwise(testing::DoubleNear(1e-13), numbers(whole.memory)));
  states.pop_back();
  EXPECT_ERROR(ValueError, "LSTMN: 1 states of 2 layers", net(x, states));
  EXPECT_ERROR_WITH(ShapeError, "LSTMN: x must be [B, T, 2]", net(zeros({kB, kI}), states));
}

}  // namespace
}  // namespace heed::attention
