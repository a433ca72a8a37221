#include "../../../../attention/mechanisms/memory/adaptive_computation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/cells.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr Index kB = 3, kT = 4, kI = 2, kS = 5, kMost = 6;
constexpr double kEpsilon = 0.05;
const std::vector<Index> kLengths = {kT, 0, 2};

// A tanh cell that ponders.
class Thinker : public nn::Module {
 public:
  explicit Thinker(Index max_steps = kMost)
      : cell(child<nn::RNNCell>("cell", kI + 1, kS, true, Nonlinearity::tanh, DType::f64)),
        ponder(child<AdaptiveComputation>(
            "ponder", AdaptiveComputationOptions{
                          .state = kS,
                          .cell = [this](const Tensor& x, const Tensor& s) { return cell(x, s); },
                          .epsilon = kEpsilon,
                          .max_steps = max_steps,
                          .dtype = DType::f64})) {
    for (const Tensor& p : parameters()) nn::normal_(p, 0, 0.8);
  }
  nn::RNNCell& cell;
  AdaptiveComputation& ponder;
};

struct Plain {
  Numbers states, costs, weights;
  std::vector<Index> steps;
};

Plain reference(const Thinker& model, const Tensor& inputs, const Tensor& start) {
  const Numbers wx = numbers(model.cell.weight_ih), ws = numbers(model.cell.weight_hh);
  const Numbers bx = numbers(model.cell.bias_ih), bs = numbers(model.cell.bias_hh);
  const Numbers w = numbers(model.ponder.halting.weight);
  const double bias = model.ponder.halting.bias.item();
  const Numbers x = numbers(inputs), first = numbers(start);
  Plain out;
  for (Index b = 0; b < kB; ++b) {
    Numbers state(first.begin() + b * kS, first.begin() + (b + 1) * kS);
    for (Index t = 0; t < kT; ++t) {
      Numbers mean(kS, 0.0), own = state, p(kMost, 0.0);
      double sum = 0, remainder = 0;
      Index n = 0;
      const bool real = t < kLengths[static_cast<std::size_t>(b)];
      for (bool running = real; running; ++n) {
        Numbers next(kS, 0.0);
        double halt = bias;
        for (Index i = 0; i < kS; ++i) {
          double unit = at(bx, i) + at(bs, i) + at(wx, i * (kI + 1) + kI) * (n == 0 ? 1 : 0);
          for (Index j = 0; j < kI; ++j) {
            unit += at(wx, i * (kI + 1) + j) * at(x, (b * kT + t) * kI + j);
          }
          for (Index j = 0; j < kS; ++j) unit += at(ws, i * kS + j) * at(own, j);
          at(next, i) = std::tanh(unit);
          halt += at(w, i) * at(next, i);
        }
        own = next;
        halt = 1 / (1 + std::exp(-halt));
        running = sum + halt < 1 - kEpsilon && n + 1 < kMost;
        remainder = 1 - sum;
        at(p, n) = running ? halt : remainder;
        sum += halt;
        for (Index i = 0; i < kS; ++i) at(mean, i) += at(p, n) * at(own, i);
      }
      if (real) state = mean;
      out.states.insert(out.states.end(), mean.begin(), mean.end());
      out.weights.insert(out.weights.end(), p.begin(), p.end());
      out.costs.push_back(static_cast<double>(n) + remainder);
      out.steps.push_back(n);
    }
  }
  return out;
}

TEST(AdaptiveComputation, IsTheDefinition) {
  manual_seed(3);
  Thinker model;
  model.ponder.halting.bias.detach().copy_from(full({1}, -1, DType::f64));
  const Tensor x = randn({kB, kT, kI}, DType::f64), start = randn({kB, kS}, DType::f64);
  const Plain expected = reference(model, x, start);
  const AdaptiveComputationOutput out = model.ponder(x, kLengths, start, true);
  EXPECT_THAT(numbers(out.state), near(expected.states, 1e-10));
  EXPECT_THAT(numbers(out.cost), near(expected.costs, 1e-10));
  EXPECT_THAT(numbers(out.weights), near(expected.weights, 1e-10));
  EXPECT_EQ(out.steps.array().to_vector<Index>(), expected.steps);
  // Different rows stop at different steps, some at the last allowed.
  const auto [least, most] = std::minmax_element(expected.steps.begin(), expected.steps.end());
  EXPECT_EQ(*least, 0);
  EXPECT_EQ(*most, kMost);
  EXPECT_FALSE(model.ponder(x, kLengths, start).weights.defined());
  // A row alone does as in the batch.
  const AdaptiveComputationOutput alone =
      model.ponder(narrow(narrow(x, 0, 2, 1), 1, 0, 2), {}, narrow(start, 0, 2, 1));
  EXPECT_THAT(numbers(alone.state), near(narrow(narrow(out.state, 0, 2, 1), 1, 0, 2)));

  const std::function<std::vector<Tensor>()> run = [&] {
    const AdaptiveComputationOutput now = model.ponder(x, kLengths, start, true);
    return std::vector<Tensor>{now.state, now.cost, now.weights};
  };
  const auto leaves = plain::leaves_of(model, {{"x", x}, {"start", start}});
  const auto first = gradcheck(run, leaves, {.step = 1e-5});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, leaves, {.step = 1e-5, .max_elements = 6});
  EXPECT_TRUE(second) << second.text();
}

TEST(AdaptiveComputation, WithoutPonderingItIsTheCell) {
  manual_seed(5);
  const Thinker model(1);
  const Tensor x = randn({kB, kI}, DType::f64), state = randn({kB, kS}, DType::f64);
  const AdaptiveComputationOutput now = model.ponder.step(x, state);
  const Tensor expected = model.cell(concat({x, ones({kB, 1}, DType::f64)}, 1), state);
  EXPECT_THAT(numbers(now.state), near(expected, 1e-15));
  EXPECT_THAT(numbers(now.cost), Each(2));
  EXPECT_THAT(now.steps.array().to_vector<Index>(), ElementsAre(1, 1, 1));
}

TEST(AdaptiveComputation, WhatIsBeyondTheLengthChangesNoBit) {
  manual_seed(7);
  const Thinker model;
  const Tensor clean = randn({kB, kT, kI}, DType::f64);
  plain::expect_hidden([&](double beyond) {
    const Tensor x = plain::spoiled(clean, kLengths, beyond);
    return plain::bits_of(plain::leaves_of(model, {{"x", x}}), [&] {
      const AdaptiveComputationOutput now = model.ponder(x, kLengths);
      EXPECT_THAT(numbers(select(now.state, 0, 1)), Each(0));
      return std::vector{now.state, now.cost};
    });
  });
}

// A row that is not finite ponders to the end; the others do not notice.
TEST(AdaptiveComputation, WhatIsNotANumberStaysInItsRow) {
  manual_seed(9);
  const Thinker model;
  const Tensor clean = randn({kB, kI}, DType::f64);
  Array dirty = clean.array().clone();
  dirty.mutable_data<double>()[kI] = std::numeric_limits<double>::quiet_NaN();
  const AdaptiveComputationOutput a = model.ponder.step(clean),
                                  b = model.ponder.step(Tensor(dirty));
  for (const Index row : {Index{0}, Index{2}}) {
    EXPECT_EQ(numbers(select(a.state, 0, row)), numbers(select(b.state, 0, row)));
  }
  for (const double x : numbers(select(b.state, 0, 1))) EXPECT_TRUE(std::isnan(x));
  EXPECT_EQ(model.ponder.step(zeros({0, kI}, DType::f64)).state.shape(), (Shape{0, kS}));
  EXPECT_EQ(model.ponder(zeros({kB, 0, kI}, DType::f64), {}, Tensor(), true).weights.shape(),
            (Shape{kB, 0, kMost}));
}

TEST(AdaptiveComputation, SaysWhatIsWrong) {
  const auto cell = [](const Tensor& x, const Tensor&) { return x; };
  using Options = AdaptiveComputationOptions;
  EXPECT_ERROR(ValueError, "AdaptiveComputation: state 0 and max_steps 100 must be positive",
               AdaptiveComputation(Options{.state = 0, .cell = cell}));
  EXPECT_ERROR(ValueError, "AdaptiveComputation: epsilon 1 must be between 0 and 1",
               AdaptiveComputation(Options{.state = 1, .cell = cell, .epsilon = 1}));
  EXPECT_ERROR(ValueError, "AdaptiveComputation: there is no cell",
               AdaptiveComputation(Options{.state = 1}));
  const AdaptiveComputation odd(Options{.state = 5, .cell = cell});
  EXPECT_ERROR(ShapeError,
               "AdaptiveComputation: the state that the cell gives must be [2, 5], not f32[2, 4]",
               odd.step(zeros({2, 3})));
  const Thinker model;
  EXPECT_ERROR(ShapeError, "ponder: AdaptiveComputation: x must be [B, T, I], not f64[3, 2]",
               model.ponder(zeros({kB, kI}, DType::f64)));
  EXPECT_ERROR(DTypeError, "ponder: AdaptiveComputation: x must be f64, not f32[3, 2]",
               model.ponder.step(zeros({kB, kI})));
  EXPECT_ERROR_WITH(ShapeError, "AdaptiveComputation: rnn_cell: ",
                    model.ponder.step(zeros({kB, kI + 1}, DType::f64)));
  EXPECT_ERROR(ShapeError, "ponder: AdaptiveComputation: the state must be [3, 5], not f64[3, 1]",
               model.ponder.step(zeros({kB, kI}, DType::f64), zeros({kB, 1}, DType::f64)));
  EXPECT_ERROR(DTypeError, "ponder: AdaptiveComputation: the state must be f64, not f32[3, 5]",
               model.ponder.step(zeros({kB, kI}, DType::f64), zeros({kB, kS})));
  EXPECT_ERROR(ShapeError, "ponder: AdaptiveComputation: the state must be [3, 5], not f64[3, 1]",
               model.ponder(zeros({kB, kT, kI}, DType::f64), {}, zeros({kB, 1}, DType::f64)));
  EXPECT_ERROR(DTypeError, "ponder: AdaptiveComputation: the state must be f64, not f32[3, 5]",
               model.ponder(zeros({kB, kT, kI}, DType::f64), {}, zeros({kB, kS})));
  EXPECT_ERROR(ShapeError, "ponder: AdaptiveComputation: the state must be [3, 5], not f64[3, 1]",
               model.ponder(zeros({kB, 0, kI}, DType::f64), {}, zeros({kB, 1}, DType::f64)));
  const AdaptiveComputation nothing(
      Options{.state = 5, .cell = [](const Tensor&, const Tensor&) { return Tensor(); }});
  EXPECT_ERROR(GradError, "AdaptiveComputation: the state that the cell gives is undefined",
               nothing.step(zeros({2, 3})));
  EXPECT_ERROR(ShapeError, "ponder: AdaptiveComputation: mask: length 5 of row 2 is not in [0, 4]",
               model.ponder(zeros({kB, kT, kI}, DType::f64), {1, 2, kT + 1}));
}

}  // namespace
}  // namespace heed::attention
