#include "../../optim/mean_of_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::MeanOfLast;
using optim::NamedArrays;
using testing::ElementsAre;

Tensor leaf(const std::vector<double>& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64).set_requires_grad();
}
void become(Tensor p, const std::vector<double>& values) { p.set_array(Array::from(values)); }

TEST(MeanOfLast, IsTheMeanOfTheLastFew) {
  Tensor p = leaf({1, 9}), q = leaf({2});
  MeanOfLast mean({p, q}, 3);
  for (const double value : {100.0, 1.0, 2.0, 6.0}) {
    become(p, {value, -value});
    become(q, {10 * value});
    mean.take();
  }
  EXPECT_EQ(mean.taken(), 3);
  become(p, {7, 8});
  mean.swap();
  EXPECT_THAT(numbers(p), ElementsAre(3, -3));
  EXPECT_THAT(numbers(q), ElementsAre(30));
  mean.swap();
  EXPECT_THAT(numbers(p), ElementsAre(7, 8));
  EXPECT_THAT(numbers(q), ElementsAre(60));
}

TEST(MeanOfLast, OfOneMomentChangesNothing) {
  Tensor p = leaf({5});
  MeanOfLast mean({p}, 2);
  mean.swap();
  mean.take();
  become(p, {7});
  mean.swap();
  EXPECT_THAT(numbers(p), ElementsAre(7));
  mean.take();  // which a mean that is swapped in would refuse
  EXPECT_EQ(mean.taken(), 2);
}

TEST(MeanOfLast, WhatIsSwappedInIsNeitherTakenNorSaved) {
  Tensor p = leaf({5});
  MeanOfLast mean({p}, 2);
  mean.take();
  mean.take();
  const NamedArrays saved = mean.state_dict();
  mean.swap();
  EXPECT_ERROR(GradError, "MeanOfLast.take: the mean is swapped in", mean.take());
  EXPECT_ERROR(GradError, "MeanOfLast.state_dict: the mean is swapped in", mean.state_dict());
  EXPECT_ERROR(GradError, "MeanOfLast.load_state_dict: the mean is swapped in",
               mean.load_state_dict(saved));
}

TEST(MeanOfLast, SwapRefusesAParameterThatHasChangedAndWritesNothing) {
  Tensor p = leaf({5}), q = leaf({2, 3});
  MeanOfLast mean({p, q}, 2);
  mean.take();
  become(p, {7});
  mean.take();
  q.set_array(Array::from(std::vector<double>{1, 2, 3}));
  EXPECT_ERROR_WITH(ShapeError, "MeanOfLast.swap: a parameter became f64[3]", mean.swap());
  q.set_array(Array::from(std::vector<float>{1, 2}));
  EXPECT_ERROR_WITH(DTypeError, "MeanOfLast.swap: a parameter became f32[2]", mean.swap());
  EXPECT_THAT(numbers(p), ElementsAre(7));
}

TEST(MeanOfLast, GoesOnFromItsState) {
  Tensor p = leaf({1}), q = leaf({2, 3});
  MeanOfLast mean({p, q}, 3), again({p, q}, 3);
  mean.take();
  become(p, {5});
  mean.take();
  NamedArrays state = mean.state_dict();
  ASSERT_EQ(state.size(), 4U);
  EXPECT_EQ(state[2].first, "1.0");
  again.load_state_dict(state);
  state[2].second.mutable_data<double>()[0] = 99;  // it has copies
  again.swap();
  EXPECT_THAT(numbers(p), ElementsAre(3));
  again.swap();
}

TEST(MeanOfLast, RefusesAStateThatDoesNotFit) {
  Tensor p = leaf({1}), q = leaf({2, 3});
  MeanOfLast mean({p, q}, 2), longer({p, q}, 3);
  for (int i = 0; i < 3; ++i) longer.take();
  const std::string begin = "MeanOfLast: the entries do not fit: ";
  EXPECT_ERROR(ValueError, begin + "6 entries for 2 parameters, taken at most 2 times",
               mean.load_state_dict(longer.state_dict()));
  mean.take();
  NamedArrays state = mean.state_dict();
  state[0].first = "0.7";
  state[1].second = Array::zeros({2}, DType::f32);
  EXPECT_ERROR(ValueError, begin + "\"0.0\" is missing; \"0.1\" is f32[2], not f64[2]",
               mean.load_state_dict(state));
  state.pop_back();
  EXPECT_ERROR(ValueError, begin + "1 entries for 2 parameters, taken at most 2 times",
               mean.load_state_dict(state));
  EXPECT_EQ(mean.taken(), 1);
}

TEST(MeanOfLast, TakesAsMuchAsItHolds) {
  Tensor p = leaf({1});
  MeanOfLast mean({p}, 2), again({p}, 2), one({p}, 1);
  for (const double value : {3.0, 4.0, 6.0}) {
    become(p, {value});
    mean.take();
    one.take();
  }
  EXPECT_EQ(one.taken(), 1);
  again.load_state_dict(mean.state_dict());
  EXPECT_EQ(again.taken(), 2);
  again.swap();
  EXPECT_THAT(numbers(p), ElementsAre(5));
}

TEST(MeanOfLast, RefusesEntriesOfAnotherShapeOrNone) {
  Tensor p = leaf({1}), q = leaf({2, 3});
  MeanOfLast mean({p, q}, 2);
  EXPECT_ERROR(ValueError,
               "MeanOfLast: the entries do not fit: \"0.0\" is undefined, not f64[1]; \"0.1\" is "
               "f64[3], not f64[2]",
               mean.load_state_dict({{"0.0", Array()}, {"0.1", Array::zeros({3}, DType::f64)}}));
}

TEST(MeanOfLast, RefusesWhatHasNoMean) {
  const Tensor p = leaf({1});
  EXPECT_ERROR(ValueError, "MeanOfLast: count 0 must be positive", MeanOfLast({p}, 0));
  EXPECT_ERROR(ValueError, "MeanOfLast: there are no parameters", MeanOfLast({}, 2));
  EXPECT_ERROR(ValueError, "MeanOfLast: a parameter is undefined", MeanOfLast({Tensor()}, 2));
  EXPECT_ERROR_WITH(GradError, "is the result of an operator, not a leaf",
                    MeanOfLast({p * 2.0}, 2));
  EXPECT_THROW(MeanOfLast({Tensor(Array::from(std::vector<Index>{1}))}, 2), DTypeError);
}

TEST(MeanOfLast, RefusesAParameterThatIsNamedTwice) {
  const Tensor p = leaf({1, 2, 3}), q = leaf({5});
  EXPECT_ERROR(ValueError, "MeanOfLast: parameter f64[3] is named twice", MeanOfLast({p, q, p}, 2));
}

// The second parameter does not take its own numbers back: the first one keeps the mean's.
TEST(MeanOfLast, SwapsAllBackOrNone) {
  Tensor p = leaf({1, 2}), q = leaf({3});
  MeanOfLast mean({p, q}, 2);
  mean.take();
  become(p, {5, 6});
  mean.take();
  mean.swap();
  become(q, {3, 3, 3});
  EXPECT_ERROR(ShapeError, "MeanOfLast.swap: a parameter became f64[3], its own numbers are f64[1]",
               mean.swap());
  EXPECT_THAT(numbers(p), ElementsAre(3, 4));
  q.set_array(Array::full({1}, 7, DType::f32));
  EXPECT_ERROR(DTypeError, "MeanOfLast.swap: a parameter became f32[1], its own numbers are f64[1]",
               mean.swap());
  EXPECT_THAT(numbers(p), ElementsAre(3, 4));
  become(q, {9});
  mean.swap();
  EXPECT_THAT(numbers(p), ElementsAre(5, 6));
  EXPECT_THAT(numbers(q), ElementsAre(3));
}

}  // namespace
}  // namespace heed
