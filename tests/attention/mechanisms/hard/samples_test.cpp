// Several samples of one sequence: at later steps, whose queries have the samples' axis in front,
// each is what it is alone, under masks whose rows are those of the batch.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "../../../../attention/masks/rules.h"
#include "../../../../attention/mechanisms/hard/hard_monotonic.h"
#include "../../../../attention/mechanisms/hard/variational.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../support/seeded_test.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kE = 7, kV = 4;

// What was drawn, to be prescribed to one sample after the other.
class Recorded : public Choices {
 public:
  explicit Recorded(Index count) : drawn_(count) {}
  Choice choose(const Tensor& logits) override {
    made_.push_back(drawn_.choose(logits));
    places_.push_back(logits.size(-1));
    return made_.back();
  }
  std::vector<Choice> of_sample(Index s) const {
    std::vector<Choice> out;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      out.push_back(Choice::hard(select(made_[i].index(), 0, s), places_[i], DType::f64));
    }
    return out;
  }

 private:
  SampledChoices drawn_;
  std::vector<Choice> made_;
  std::vector<Index> places_;
};

// As many as rows of the batch, where the two axes look alike, and others.
class Samples : public SeededTestWithParam<41, Index> {
 protected:
  const Index S = GetParam();
  const Tensor keys = randn({kB, kK, kE}, DType::f64), values = randn({kB, kK, kV}, DType::f64);
  const std::vector<Mask> masks = {
      Mask(), Mask::lengths({kK, 2}, kK),
      masks::documents(indices({0, 1, 1, 0, 1, 2, 2, 2, 0, 0}, {kB, kK})),
      Mask(indices({1, 1, 0, 0, 1, 0, 1, 1, 0, 1}, {kB, 1, kK}) == 1)};
};
INSTANTIATE_TEST_SUITE_P(Count, Samples, testing::Values(kB, 3, 1));

TEST_P(Samples, OfHardAttentionAreEachAlone) {
  const Tensor first = randn({kB, kE}, DType::f64), second = randn({S, kB, kE}, DType::f64);
  const HardAttention attend;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    Recorded drawn(S);
    HardMemory all = attend.begin(keys, values, {.mask = masks[i], .choices = &drawn});
    const HardAttentionOutput one = all.step(first), two = all.step(second);
    for (Index s = 0; s < S; ++s) {
      SCOPED_TRACE(testing::Message() << "mask " << i << " sample " << s);
      ReplayedChoices own(drawn.of_sample(s));
      HardMemory alone = attend.begin(keys, values, {.mask = masks[i], .choices = &own});
      EXPECT_EQ(numbers(alone.step(first).context), numbers(select(one.context, 0, s)));
      const HardAttentionOutput next = alone.step(select(second, 0, s));
      EXPECT_THAT(numbers(select(two.weights, 0, s)), near(next.weights));
      EXPECT_EQ(numbers(next.context), numbers(select(two.context, 0, s)));
    }
  }
}

// The mean meets all values, of which the masked ones are not to be seen.
TEST_P(Samples, OfHardAttentionMeetNothingMaskedInTheMean) {
  const Tensor first = randn({kB, kE}, DType::f64), second = randn({S, kB, kE}, DType::f64);
  const HardAttention attend({.mean_probability = 1});
  Array dirty = values.array().clone();
  dirty.mutable_data<double>()[(2 * kK - 1) * kV] = std::numeric_limits<double>::quiet_NaN();
  const auto contexts = [&](const Tensor& of) {
    SampledChoices choices(S);
    HardMemory memory = attend.begin(keys, of, {.mask = masks[1], .choices = &choices});
    memory.step(first);
    return numbers(memory.step(second).context);
  };
  EXPECT_EQ(contexts(dirty), contexts(values));
}

TEST_P(Samples, OfHardMonotonicAttentionAreEachAlone) {
  const Tensor first = randn({kB, kE}, DType::f64), second = randn({S, kB, kE}, DType::f64);
  const HardMonotonic attend;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    Recorded drawn(S);
    HardMonotonicMemory all = attend.begin(keys, values, {.mask = masks[i], .choices = &drawn});
    const HardMonotonicOutput one = all.step(first), two = all.step(second);
    for (Index s = 0; s < S; ++s) {
      SCOPED_TRACE(testing::Message() << "mask " << i << " sample " << s);
      ReplayedChoices own(drawn.of_sample(s));
      HardMonotonicMemory alone = attend.begin(keys, values, {.mask = masks[i], .choices = &own});
      EXPECT_EQ(numbers(alone.step(first).context), numbers(select(one.context, 0, s)));
      const HardMonotonicOutput next = alone.step(select(second, 0, s));
      EXPECT_EQ(numbers(next.context), numbers(select(two.context, 0, s)));
      EXPECT_EQ(next.place.array().to_vector<Index>(),
                select(two.place, 0, s).array().to_vector<Index>());
    }
  }
}

// Places past the masked ones have no probability: what is drawn is among those that may be seen.
TEST_P(Samples, OfHardMonotonicAttentionStopWhereTheyMay) {
  const Mask mask = Mask::lengths({kK, 2}, kK);
  const HardMonotonic attend;
  const Tensor first = randn({kB, kE}, DType::f64);
  for (int turn = 0; turn < 20; ++turn) {
    SampledChoices choices(S);
    HardMonotonicMemory memory = attend.begin(keys, values, {.mask = mask, .choices = &choices});
    memory.step(first);
    const Tensor place = memory.step(randn({S, kB, kE}, DType::f64)).place;
    for (const Index each : select(place, 1, 1).array().to_vector<Index>()) {
      EXPECT_TRUE(each < 2 || each == kK) << each;
    }
  }
}

TEST_P(Samples, OfVariationalAttentionAreEachAlone) {
  const Tensor first = randn({kB, kQ, kE}, DType::f64), knew = randn({kB, kQ, kE}, DType::f64);
  const Tensor second = randn({S, kB, kQ, kE}, DType::f64);
  const Tensor known = randn({S, kB, kQ, kE}, DType::f64);
  const VariationalAttention attend;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    Recorded drawn(S);
    const HardCall all{.mask = masks[i], .choices = &drawn};
    attend(first, knew, keys, values, all);
    const VariationalOutput two = attend(second, known, keys, values, all);
    const Tensor predicted = attend.predict(second, keys, values, all).weights;
    for (Index s = 0; s < S; ++s) {
      SCOPED_TRACE(testing::Message() << "mask " << i << " sample " << s);
      ReplayedChoices own(drawn.of_sample(s));
      const HardCall alone{.mask = masks[i], .choices = &own};
      attend(first, knew, keys, values, alone);
      const Tensor asks = select(second, 0, s);
      const VariationalOutput next = attend(asks, select(known, 0, s), keys, values, alone);
      EXPECT_EQ(numbers(next.context), numbers(select(two.context, 0, s)));
      EXPECT_THAT(numbers(select(two.prior, 0, s)), near(next.prior));
      EXPECT_THAT(numbers(select(two.posterior, 0, s)), near(next.posterior));
      EXPECT_THAT(numbers(select(two.kl, 0, s)), near(next.kl));
      EXPECT_THAT(numbers(select(predicted, 0, s)), near(next.prior));
    }
  }
}

}  // namespace
}  // namespace heed::attention
