// What intervals say of a condition, against all the places that they stand for.
#include "../../../attention/masks/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heed::attention {
namespace {

constexpr Index kMost = Interval::kMost, kLeast = Interval::kLeast;

void expect_is(const Interval& x, Index low, Index high) {
  EXPECT_EQ(x.low, low);
  EXPECT_EQ(x.high, high);
}

void expect_all(const Interval& x) { expect_is(x, kLeast, kMost); }

std::vector<Interval> small(Index most) {
  std::vector<Interval> out;
  for (Index low = -most; low <= most; ++low) {
    for (Index high = low; high <= most; ++high) out.emplace_back(low, high);
  }
  return out;
}

// Calls with each two intervals of small numbers, and with all that f(place, place) gives in them.
template <class F, class Expect>
void each_pair(const F& f, const Expect& expect) {
  for (const Interval& a : small(4)) {
    for (const Interval& b : small(4)) {
      SCOPED_TRACE(testing::Message()
                   << a.low << " .. " << a.high << " and " << b.low << " .. " << b.high);
      std::vector<Index> values;
      for (Index x = a.low; x <= a.high; ++x) {
        for (Index y = b.low; y <= b.high; ++y) {
          values.push_back(static_cast<Index>(f(Place(x), Place(y))));
        }
      }
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      expect(a, b, *least, *most);
    }
  }
}

TEST(Places, AreDividedAsBlocksAre) {
  const auto quotient = [](Index a, Index b) { return (Place(a) / Place(b)).value; };
  const auto remainder = [](Index a, Index b) { return (Place(a) % Place(b)).value; };
  EXPECT_EQ(quotient(7, 3), 2);
  EXPECT_EQ(quotient(-7, 3), -3);
  EXPECT_EQ(quotient(-6, 3), -2);
  EXPECT_EQ(quotient(7, -3), -3);
  EXPECT_EQ(quotient(-7, -3), 2);
  EXPECT_EQ(quotient(7, 0), 0);
  EXPECT_EQ(remainder(7, 3), 1);
  EXPECT_EQ(remainder(-7, 3), 2);
  EXPECT_EQ(remainder(-6, 3), 0);
  EXPECT_EQ(remainder(7, 0), 7);
}

TEST(Intervals, HoldWhatTheirPlacesGiveAndNothingElse) {
#define EXPECT_TIGHT(expression)                                                \
  each_pair([](auto a, auto b) { return (expression).value; },                  \
            [](const Interval& a, const Interval& b, Index least, Index most) { \
              expect_is(expression, least, most);                               \
            })
  EXPECT_TIGHT(a + b);
  EXPECT_TIGHT(a - b);
  EXPECT_TIGHT(a * b);
  EXPECT_TIGHT(min(a, b));
  EXPECT_TIGHT(max(a, b));
  EXPECT_TIGHT(abs(a) + b);
  EXPECT_TIGHT(-a + b);
#undef EXPECT_TIGHT
}

TEST(Intervals, AreDividedByWhatIsNotZero) {
  each_pair([](Place a, Place b) { return (a / b).value; },
            [](const Interval& a, const Interval& b, Index least, Index most) {
              if (b.low <= 0 && b.high >= 0) {
                expect_all(a / b);
              } else {
                expect_is(a / b, least, most);
              }
            });
}

// Of one divisor: exact within one block, else all remainders.
TEST(Intervals, HaveRemaindersOfOneDivisor) {
  each_pair([](Place a, Place b) { return (a % b).value; },
            [](const Interval& a, const Interval& b, Index least, Index most) {
              if (!b.is_one() || b.low <= 0) {
                expect_all(a % b);
              } else if ((a / b).is_one()) {
                expect_is(a % b, least, most);
              } else {
                expect_is(a % b, 0, b.low - 1);
              }
            });
}

TEST(Intervals, SayWhetherAConditionMayHoldAndMayFail) {
#define EXPECT_EXACT(condition)                                                 \
  each_pair([](auto a, auto b) { return (condition) ? 1 : 0; },                 \
            [](const Interval& a, const Interval& b, Index least, Index most) { \
              const Truth truth = condition;                                    \
              EXPECT_EQ(truth.may_hold, most == 1);                             \
              EXPECT_EQ(truth.may_fail, least == 0);                            \
            })
  EXPECT_EXACT(a < b);
  EXPECT_EXACT(a <= b);
  EXPECT_EXACT(a > b);
  EXPECT_EXACT(a >= b);
  EXPECT_EXACT(a == b);
  EXPECT_EXACT(a != b);
#undef EXPECT_EXACT
}

// A sum beyond 64 bits is no number, and neither is what follows from one.
TEST(Intervals, OfWhatIsTooLargeAreAllNumbers) {
  const Interval one = 1, all = Interval::all(), large(5, kMost - 2), little(kLeast + 2, 5);
  expect_is(large + 1, 6, kMost - 1);
  expect_all(large + 3);
  expect_all(little - 3);
  expect_all(large * 2);
  expect_all(little * Interval(-3, 1));
  expect_is(Interval(-7, 3) * 0, 0, 0);
  for (const Interval& unknown : {all, Interval(kLeast, 3), Interval(3, kMost)}) {
    expect_all(unknown + one);
    expect_all(one + unknown);
    expect_all(unknown * 0);
    expect_all(Interval(0) * unknown);
    expect_all(unknown / 2);
    expect_all(one / unknown);
  }
  expect_all(-Interval(kLeast, 3));
  expect_is(-Interval(-3, 7), -7, 3);
  expect_all(abs(Interval(kLeast, -3)));
  expect_all(abs(Interval(-3, kMost)));
  expect_is(abs(Interval(0, kMost)), 0, kMost);
  expect_is(min(all, Interval(3)), kLeast, 3);
  expect_is(max(all, Interval(3)), 3, kMost);
  EXPECT_TRUE((Interval(kLeast, 3) < Interval(4)).may_hold);
  EXPECT_FALSE((Interval(kLeast, 3) < Interval(4)).may_fail);
}

// A truth stands for the values that it may have; of two it is any of these with any of those.
TEST(Truths, AreJoinedAsTheirValuesAre) {
  const std::vector<Truth> all = {true, false, {true, true}, {false, false}};
  const auto values = [](const Truth& x) {
    std::vector<bool> out;
    if (x.may_hold) out.push_back(true);
    if (x.may_fail) out.push_back(false);
    return out;
  };
  const auto expect = [&](const Truth& got, const std::vector<bool>& wanted) {
    EXPECT_EQ(got.may_hold, std::count(wanted.begin(), wanted.end(), true) > 0);
    EXPECT_EQ(got.may_fail, std::count(wanted.begin(), wanted.end(), false) > 0);
  };
  for (const Truth& a : all) {
    std::vector<bool> negated = values(a);
    negated.flip();
    expect(!a, negated);
    for (const Truth& b : all) {
      std::vector<bool> both, either, same, other;
      for (const bool x : values(a)) {
        for (const bool y : values(b)) {
          both.push_back(x && y);
          either.push_back(x || y);
          same.push_back(x == y);
          other.push_back(x != y);
        }
      }
      if (both.empty()) continue;  // of no values
      expect(a && b, both);
      expect(a & b, both);
      expect(a || b, either);
      expect(a | b, either);
      expect(a == b, same);
      expect(a != b, other);
    }
  }
}

}  // namespace
}  // namespace heed::attention
