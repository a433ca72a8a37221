// What stands exactly at a bound, and the smallest sizes at which something happens at all.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/generator.h"
#include "../../nn/init.h"
#include "numbers.h"

namespace heed::attention {
namespace {

// Halves, of which one or two reach what is asked for exactly.
TEST(Thresholds, PonderingStopsWhereTheSumIsReached) {
  for (const auto& [epsilon, steps] : {std::pair{0.5, Index{1}}, {0.499, 2}, {0.25, 2}}) {
    const AdaptiveComputation made(
        {.state = 3,
         .cell = [](const Tensor&, const Tensor& state) { return state + 1; },
         .epsilon = epsilon,
         .dtype = DType::f64});
    nn::zeros_(made.halting.weight);
    nn::zeros_(made.halting.bias);
    const AdaptiveComputationOutput out = made.step(zeros({2, 5}, DType::f64));
    EXPECT_EQ(out.steps.array().to_vector<Index>(), std::vector<Index>(2, steps)) << epsilon;
    EXPECT_EQ(numbers(out.cost), Numbers(2, steps == 1 ? 2.0 : 2.5)) << epsilon;
  }
}

// The first update moves the state by the tolerance, no more: there is no further one.
TEST(Thresholds, AStateThatMovedByTheToleranceStops) {
  manual_seed(3);
  HopfieldOptions options{
      .state_width = 3, .head_width = 3, .updates = 2, .beta = 0.7, .dtype = DType::f64};
  const Hopfield once(options);
  for (const Tensor& each : once.parameters()) nn::normal_(each, 0, 1);
  const Tensor state = randn({1, 1, 3}, DType::f64), stored = randn({1, 5, 3}, DType::f64);
  const auto of = [&](double tolerance) {
    options.updates = 5;
    options.tolerance = tolerance;
    Hopfield made(options);
    made.load_state_dict(once.state_dict());
    return numbers(made(state, stored).context);
  };
  const Tensor before = once.state_projection(state), patterns = once.pattern_projection(stored);
  const double moved = amax(abs(hopfield_update(before, patterns, 0.7).context - before)).item();
  const Numbers wanted = numbers(once(state, stored).context);
  EXPECT_EQ(of(moved), wanted);
  EXPECT_NE(of(moved * 0.999), wanted);
}

// The second word has one state to look back at, the first has none.
TEST(Thresholds, ACacheOfTwoStatesIsTheFirstsWord) {
  manual_seed(5);
  const Tensor h = randn({2, 2, 3}, DType::f64);
  const Tensor p = softmax(randn({2, 2, 5}, DType::f64), -1);
  const Tensor next = indices({4, 0, 1, 2}, {2, 2});
  const Tensor out = neural_cache(h, p, next, {.lambda = 0.25});
  EXPECT_EQ(numbers(select(out, 1, 0)), numbers(select(p, 1, 0)));
  EXPECT_THAT(numbers(select(out, 1, 1)),
              near(0.75 * select(p, 1, 1) + 0.25 * one_hot(select(next, 1, 0), 5, DType::f64)));
  const Tensor one =
      neural_cache(narrow(h, 1, 0, 1), narrow(p, 1, 0, 1), narrow(next, 1, 0, 1), {.lambda = 0.25});
  EXPECT_EQ(numbers(one), numbers(narrow(p, 1, 0, 1)));
}

TEST(Thresholds, AnImageHasTheColumnsItIsToldOf) {
  for (const Index columns : {1, 2, 3}) {
    const NeuralGPU made({.width = 2, .columns = columns});
    EXPECT_EQ(made(zeros({3, 5, 2})).image.shape(), (Shape{3, 2, 5, columns}));
  }
}

// Of one cell the mean is that cell's; of none there is nothing to lose.
TEST(Thresholds, ATableOfOneCellLosesOne) {
  const auto answers = [](double cell) {
    return TableAnswers{zeros({1}, DType::f64), full({1, 1, 1}, cell, DType::f64),
                        zeros({1}, DType::f64)};
  };
  const TableLossOptions options{.cells = 3};
  EXPECT_NEAR(table_answer_loss(answers(0.25), answers(1), {}, options).item(), -3 * std::log(0.25),
              1e-12);
  EXPECT_NEAR(table_answer_loss(answers(0.25), answers(1), {1}, options).item(),
              -3 * std::log(0.25), 1e-12);
  EXPECT_EQ(table_answer_loss(answers(0.25), answers(1), {0}, options).item(), 0);
}

// Larger shifts, which turn the weights around the end.
TEST(Thresholds, AHeadShiftsAsFarAsItReaches) {
  manual_seed(7);
  const Tensor memory = randn({1, 7, 2}, DType::f64);
  const Tensor last = one_hot(indices({5}, {1, 1}), 7, DType::f64);
  for (const Index reach : {0, 1, 2, 3}) {
    for (Index by = -reach; by <= reach; ++by) {
      const HeadSignals signals{
          .key = ones({1, 1, 2}, DType::f64),
          .strength = ones({1, 1, 1}, DType::f64),
          .gate = zeros({1, 1, 1}, DType::f64),
          .shift = one_hot(indices({by + reach}, {1, 1}), 2 * reach + 1, DType::f64),
          .sharpen = ones({1, 1, 1}, DType::f64)};
      const Tensor seen = address_memory(memory, last, signals);
      EXPECT_EQ(numbers(seen), numbers(one_hot(indices({(5 + by) % 7}, {1, 1}), 7, DType::f64)))
          << by << " of " << reach;
    }
  }
}

}  // namespace
}  // namespace heed::attention
