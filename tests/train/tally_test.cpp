#include "../../train/tally.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

Tensor bools(const std::vector<bool>& values, const Shape& shape) {
  return Tensor(Array::from(values, shape));
}

TEST(Tally, CountsPartsAndWholeAnswers) {
  const Tensor wrong = bools({true, false, true, false, false, true}, {3, 2});
  Tally all = Tally::of(wrong);
  EXPECT_EQ(all.wrong, 3);
  EXPECT_EQ(all.parts, 6);
  EXPECT_EQ(all.failed, 3);
  EXPECT_EQ(all.answers, 3);
  Tally some = Tally::of(wrong, bools({true, true, false, true, true, false}, {3, 2}));
  EXPECT_EQ(some.wrong, 1);
  EXPECT_EQ(some.parts, 4);
  EXPECT_EQ(some.failed, 1);
  some.extra = "steps";
  some.extra_sum = 12;
  all.add(some);
  const Figures figures = all.figures("bits", "words");
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].name, "bits wrong %");
  EXPECT_DOUBLE_EQ(figures[0].value, 40);
  EXPECT_EQ(figures[1].name, "words wrong %");
  EXPECT_NEAR(figures[1].value, 100 * 4 / 6.0, 1e-12);
  EXPECT_EQ(figures[2].name, "steps");
  EXPECT_DOUBLE_EQ(figures[2].value, 2);
  EXPECT_TRUE(std::isnan(Tally().figures("a", "b")[0].value));
  EXPECT_EQ(Tally::of(bools({}, {0, 3})).answers, 0);
}

TEST(Tally, RefusesWhatDoesNotFit) {
  const Tensor wrong = bools({true, false}, {2});
  EXPECT_ERROR_WITH(DTypeError, "tally: wrong must be bool, not f32[2]", Tally::of(zeros({2})));
  EXPECT_ERROR_WITH(DTypeError, "tally: real must be bool", Tally::of(wrong, zeros({2})));
  EXPECT_ERROR_WITH(ShapeError, "tally: wrong bool[2] and real bool[1, 2]",
                    Tally::of(wrong, bools({true, true}, {1, 2})));
}

}  // namespace
}  // namespace heed::train
