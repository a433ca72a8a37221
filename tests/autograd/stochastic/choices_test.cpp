// Choices: one model, run with indices, weights, relaxed weights.
#include "../../../autograd/stochastic/choices.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../autograd/autograd.h"
#include "../../../core/core.h"
#include "../../support/numbers.h"
#include "../../support/throws.h"

namespace heed {
namespace {

// [2] samples of [3] examples with 5 places.
Tensor places() { return Tensor(Array::from(std::vector<Index>{4, 0, 2, 1, 1, 3}, {2, 3})); }

TEST(Choice, PicksTheRowsThatADenseProductWould) {
  const Choice hard = Choice::hard(places(), 5, DType::f64);
  const Choice soft = Choice::soft(hard.weights());
  for (const Shape& shape : {Shape{5, 7}, Shape{3, 5, 7}, Shape{2, 3, 5, 7}}) {
    const Tensor values = randn(shape, DType::f64).set_requires_grad();
    const Tensor a = hard.pick(values), b = soft.pick(values);
    ASSERT_EQ(a.shape(), (Shape{2, 3, 7}));
    ASSERT_EQ(b.shape(), (Shape{2, 3, 7}));
    EXPECT_LT(difference(a, b), 1e-14);
    const Tensor g = randn({2, 3, 7}, DType::f64);
    EXPECT_LT(difference(grad({a}, {values}, {g})[0], grad({b}, {values}, {g})[0]), 1e-14);
  }
  const Tensor numbers = randn({3, 5}, DType::f64);
  EXPECT_LT(difference(hard.pick_number(numbers), soft.pick_number(numbers)), 1e-14);
  EXPECT_EQ(soft.index().array().to_vector<Index>(), places().array().to_vector<Index>());
}

TEST(Choice, PicksFromOneRowWithoutExamples) {
  const Choice one = Choice::hard(Tensor(Array::full({}, 2, DType::i64)), 3, DType::f64);
  const Tensor values = randn({3, 7}, DType::f64);
  EXPECT_EQ(difference(one.pick(values), select(values, 0, 2)), 0);
  const Choice soft = Choice::soft(tensor({0, 0, 1}, {3}, DType::f64));
  EXPECT_EQ(difference(soft.pick(values), select(values, 0, 2)), 0);
}

TEST(Choice, RefusesValuesThatDoNotFit) {
  const Choice hard = Choice::hard(places(), 5, DType::f64);
  EXPECT_ERROR(Error, "Choice::pick: values f32[4, 5, 7] do not go with choices [2, 3]",
               hard.pick(zeros({4, 5, 7})));
  EXPECT_ERROR(Error, "Choice::pick: values f32[3, 6, 7] have 6 places, the choice has 5",
               hard.pick(zeros({3, 6, 7})));
  EXPECT_ERROR(Error, "Choice::pick: values f32[5] do not go with choices [2, 3]",
               hard.pick(zeros({5})));
  EXPECT_ERROR(Error, "Choice: index is f32[2], must be i64",
               Choice::hard(zeros({2}), 5, DType::f32));
  EXPECT_ERROR(Error, "Choice::pick: place 5 of 5",
               Choice::hard(full({1}, 5, DType::i64), 5, DType::f32).pick(zeros({5, 2})));
  EXPECT_ERROR(Error, "Choice: weights f32[2, 0] have no places", Choice::soft(zeros({2, 0})));
}

TEST(SampledChoices, PutSamplesInFrontOnce) {
  Generator generator(1);
  SampledChoices choices(4, {.generator = &generator});
  const Choice first = choices.choose(randn({3, 5}));
  EXPECT_EQ(first.index().shape(), (Shape{4, 3}));
  EXPECT_EQ(choices.choose(randn({4, 3, 7})).index().shape(), (Shape{4, 3}));  // depends on it
  EXPECT_EQ(choices.choose(randn({3, 2})).index().shape(), (Shape{4, 3}));     // does not
  EXPECT_EQ(choices.samples().size(), 3);
  EXPECT_ERROR(Error,
               "SampledChoices: logits f32[2, 3, 7], after first ones of rank 2: later ones have "
               "as many axes, or the 4 samples in front of them",
               choices.choose(randn({2, 3, 7})));
}

TEST(GreedyAndExpectedChoices, TakeTheLargestAndTheMean) {
  const Tensor logits = tensor({0.1, 2, -1, 3, 0, 0.5}, {2, 3}, DType::f64).set_requires_grad();
  GreedyChoices greedy;
  EXPECT_EQ(greedy.choose(logits).index().array().to_vector<Index>(), (std::vector<Index>{1, 0}));
  ExpectedChoices expected;
  const Choice soft = expected.choose(logits);
  EXPECT_FALSE(soft.is_hard());
  EXPECT_LT(difference(soft.weights(), softmax(logits, -1)), 1e-15);
  EXPECT_TRUE(soft.weights().requires_grad());
}

TEST(RelaxedChoices, FollowTheirFormulas) {
  const Tensor logits = randn({7, 5}, DType::f64).set_requires_grad();
  Generator one(2), two(2);
  const Tensor y = softmax((logits + gumbel_noise({7, 5}, DType::f64, &one)) / 0.7, -1);
  RelaxedChoices gumbel(Relaxation::gumbel, 0.7, &two);
  EXPECT_LT(difference(gumbel.choose(logits).weights(), y), 1e-14);

  two = Generator(2);
  RelaxedChoices through(Relaxation::straight_through_gumbel, 0.7, &two);
  const Tensor hard = through.choose(logits).weights();
  EXPECT_LT(difference(hard, one_hot(argmax(y, -1), 5, DType::f64)), 1e-14);
  const Tensor g = randn({7, 5}, DType::f64);
  EXPECT_LT(difference(grad({hard}, {logits}, {g})[0], grad({y}, {logits}, {g})[0]), 1e-14);

  RelaxedChoices straight(Relaxation::straight_through);
  const Tensor s = straight.choose(logits).weights();
  EXPECT_EQ(difference(sum(s, {1}), ones({7}, DType::f64)), 0);
  EXPECT_LT(difference(grad({s}, {logits}, {g})[0], grad({softmax(logits, -1)}, {logits}, {g})[0]),
            1e-14);
  EXPECT_ERROR(Error, "RelaxedChoices: tau 0 must be positive",
               RelaxedChoices(Relaxation::gumbel, 0));
}

TEST(RelaxedChoices, DrawTheLargestAsOftenAsItsProbability) {
  Generator generator(3);
  const Tensor probs = tensor({0.6, 0.1, 0.3}, {3}, DType::f64);
  RelaxedChoices gumbel(Relaxation::gumbel, 0.5, &generator);
  const Tensor rows = clone(expand(log(probs), {100000, 3}));
  const Tensor often = mean(one_hot(gumbel.choose(rows).index(), 3, DType::f64), {0});
  EXPECT_LT(difference(often, probs), 4.9 * 0.5 / 316);  // 4.9 standard errors at most
}

TEST(ReplayedChoices, GiveWhatIsPrescribedThenTheRest) {
  GreedyChoices greedy;
  const Tensor logits = tensor({0, 1}, {1, 2});
  const Choice zero = Choice::hard(Tensor(Array::zeros({1}, DType::i64)), 2, DType::f32);
  ReplayedChoices replay({zero}, &greedy);
  EXPECT_EQ(replay.choose(logits).index().item(), 0);
  EXPECT_EQ(replay.choose(logits).index().item(), 1);
  ReplayedChoices alone({});
  EXPECT_ERROR(Error, "ReplayedChoices: choice 0 is asked for; 0 were given", alone.choose(logits));
}

TEST(Choices, RefuseLogitsThatAreNoDistribution) {
  const Tensor bad = tensor({0, std::nan("")}, {1, 2}, DType::f64);
  SampledChoices sampled;
  GreedyChoices greedy;
  ExpectedChoices expected;
  RelaxedChoices relaxed(Relaxation::gumbel);
  for (Choices* choices : std::vector<Choices*>{&sampled, &greedy, &expected, &relaxed}) {
    EXPECT_ERROR(Error, "Categorical: row 0 of f64[1, 2] holds a NaN or +infinity",
                 choices->choose(bad));
    EXPECT_THROW(choices->choose(zeros({3, 0})), ShapeError);
  }
}

TEST(SampledChoices, WithoutSamplesTakeLogitsOfAnyRank) {
  SampledChoices choices;
  EXPECT_EQ(choices.choose(zeros({3, 5})).index().shape(), Shape{3});
  EXPECT_EQ(choices.choose(zeros({5})).index().shape(), Shape{});
  EXPECT_EQ(choices.choose(zeros({2, 3, 5})).index().shape(), (Shape{2, 3}));
  SampledChoices one(1);  // a first axis of size 1
  EXPECT_EQ(one.choose(zeros({3, 5})).index().shape(), (Shape{1, 3}));
  EXPECT_EQ(one.choose(zeros({1, 3, 5})).index().shape(), (Shape{1, 3}));
  EXPECT_THROW(one.choose(zeros({2, 3, 5})), ShapeError);
}

TEST(Choices, RefuseWhatIsNoFloatingPoint) {
  EXPECT_THROW(Choice::soft(zeros({3}, DType::i64)), DTypeError);
  EXPECT_THROW(gumbel_noise({3}, DType::i64), DTypeError);
}

}  // namespace
}  // namespace heed
