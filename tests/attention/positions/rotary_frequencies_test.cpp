#include "../../../attention/positions/rotary_frequencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "../../../core/allocator.h"
#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/throws.h"

namespace heed::attention {
namespace {

using enum RotaryScalingKind;

Numbers plain(Index width, double base) {
  Numbers out;
  for (Index i = 0; 2 * i < width; ++i) {
    out.push_back(1 / std::pow(base, 2.0 * static_cast<double>(i) / static_cast<double>(width)));
  }
  return out;
}

void expect_near(const Numbers& got, const Numbers& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i] / expected[i], 1, 1e-13) << "pair " << i;
  }
}

TEST(RotaryFrequencies, FallFromOneByPowersOfTheBase) {
  expect_near(numbers(rotary_frequencies(14)), plain(14, 10000));
  expect_near(numbers(rotary_frequencies(22, 500000)), plain(22, 500000));
  EXPECT_EQ(rotary_frequencies(14).dtype(), DType::f64);
  EXPECT_EQ(rotary_frequencies(0).shape(), Shape{0});
  EXPECT_EQ(numbers(rotary_frequencies(2, 7)), Numbers{1});
}

TEST(RotaryFrequencies, LinearOnesAreDividedByTheFactor) {
  Numbers expected = plain(14, 100);
  for (double& w : expected) w /= 3;
  expect_near(numbers(rotary_frequencies(14, 100, {.kind = linear, .factor = 3})), expected);
}

TEST(RotaryFrequencies, NtkKeepsTheFirstPairAndSlowsTheLastByTheFactor) {
  const Numbers got = numbers(rotary_frequencies(14, 100, {.kind = ntk, .factor = 3}));
  expect_near(got, plain(14, 100 * std::pow(3, 14.0 / 12.0)));
  EXPECT_EQ(got.front(), 1);
  EXPECT_NEAR(got.back(), plain(14, 100).back() / 3, 1e-15);
  // The only pair of two features turns as it did.
  EXPECT_EQ(numbers(rotary_frequencies(2, 100, {.kind = ntk, .factor = 3})), Numbers{1});
}

TEST(RotaryFrequencies, DynamicNtkGrowsWithTheStepsBeyondTheTraining) {
  const RotaryScaling scaling{.kind = dynamic_ntk, .factor = 3, .original_length = 101};
  for (const double steps : {0.0, 17.0, 101.0}) {
    expect_near(numbers(rotary_frequencies(14, 100, scaling, steps)), plain(14, 100));
  }
  const double alpha = 3 * 211.0 / 101 - 2;
  expect_near(numbers(rotary_frequencies(14, 100, scaling, 211)),
              plain(14, 100 * std::pow(alpha, 14.0 / 12.0)));
}

// As the authors' program has it: a ramp over pairs, between those that turn beta_fast and
// beta_slow times within the training's length.
Numbers yarn_by_hand(int D, double base, double s, double L, double fast, double slow, bool whole) {
  const auto pair_of = [&](double turns) {
    return D * std::log(L / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  double low = pair_of(fast), high = pair_of(slow);
  if (whole) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0);
  high = std::min(high, D - 1.0);
  Numbers out;
  for (int i = 0; i < D / 2; ++i) {
    const double wavelength = 2 * std::numbers::pi * std::pow(base, 2.0 * i / D);
    const double extrapolated = 2 * std::numbers::pi / wavelength;
    const double interpolated = 2 * std::numbers::pi / (wavelength * s);
    const double slowed = std::min(std::max((i - low) / (high - low), 0.0), 1.0);
    out.push_back(interpolated * slowed + extrapolated * (1 - slowed));
  }
  return out;
}

TEST(RotaryFrequencies, YarnSlowsLongWavesAndKeepsShortOnes) {
  const RotaryScaling scaling{.kind = yarn, .factor = 17, .original_length = 4099};
  const Numbers got = numbers(rotary_frequencies(74, 10007, scaling));
  expect_near(got, yarn_by_hand(74, 10007, 17, 4099, 32, 1, true));
  const Numbers before = plain(74, 10007);
  int kept = 0, slowed = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    kept += std::abs(got[i] / before[i] - 1) < 1e-12;
    slowed += std::abs(17 * got[i] / before[i] - 1) < 1e-12;
    if (i > 0) {
      EXPECT_LT(got[i], got[i - 1]);
    }
  }
  EXPECT_EQ(kept, 13);    // pairs 0 .. 12
  EXPECT_EQ(slowed, 10);  // pairs 27 .. 36
  RotaryScaling other = scaling;
  other.beta_fast = 19;
  other.beta_slow = 2.5;
  other.whole_pairs = false;
  expect_near(numbers(rotary_frequencies(74, 10007, other)),
              yarn_by_hand(74, 10007, 17, 4099, 19, 2.5, false));
}

TEST(RotaryFrequencies, YarnAtItsLimits) {
  const auto of = [](Index L, double base) {
    return numbers(rotary_frequencies(14, base, {.kind = yarn, .factor = 5, .original_length = L}));
  };
  // Every pair turns more often than beta_fast: none is slowed.
  expect_near(of(Index{1} << 60, 3), plain(14, 3));
  // No pair turns once: all but the first are slowed.
  Numbers slow = plain(14, 100);
  for (std::size_t i = 1; i < slow.size(); ++i) slow[i] /= 5;
  expect_near(of(2, 100), slow);
}

Numbers llama3_by_hand(int D, double base, double s, double L, double low, double high) {
  Numbers out;
  for (int i = 0; i < D / 2; ++i) {
    const double w = std::pow(base, -2.0 * i / D);
    const double wavelength = 2 * std::numbers::pi / w;
    if (wavelength < L / high) {
      out.push_back(w);
    } else if (wavelength > L / low) {
      out.push_back(w / s);
    } else {
      const double smooth = (L / wavelength - low) / (high - low);
      out.push_back((1 - smooth) * w / s + smooth * w);
    }
  }
  return out;
}

TEST(RotaryFrequencies, Llama3GoesOverByTheTurnsInTheTraining) {
  const RotaryScaling published{.kind = llama3, .factor = 8, .original_length = 8192};
  expect_near(numbers(rotary_frequencies(128, 500000, published)),
              llama3_by_hand(128, 500000, 8, 8192, 1, 4));
  const RotaryScaling scaling{.kind = llama3,
                              .factor = 7,
                              .original_length = 1009,
                              .low_freq_factor = 1.5,
                              .high_freq_factor = 13};
  const Numbers got = numbers(rotary_frequencies(46, 10007, scaling));
  const Numbers expected = llama3_by_hand(46, 10007, 7, 1009, 1.5, 13);
  expect_near(got, expected);
  const Numbers before = plain(46, 10007);
  EXPECT_NEAR(got.front(), 1, 1e-15);
  EXPECT_NEAR(got.back(), before.back() / 7, 1e-15);
  EXPECT_TRUE(std::any_of(got.begin(), got.end(), [&, i = std::size_t{0}](double w) mutable {
    const double slowed = before[i++] / w;
    return slowed > 1.01 && slowed < 6.99;
  })) << "some lie between";
}

TEST(RotaryFrequencies, TheAttentionFactorIsYarnsUnlessGiven) {
  EXPECT_NEAR(rotary_attention_factor({.kind = yarn, .factor = 17}), 0.1 * std::log(17) + 1, 1e-15);
  EXPECT_EQ(rotary_attention_factor({.kind = yarn, .factor = 17, .attention_factor = 0.75}), 0.75);
  EXPECT_EQ(rotary_attention_factor({.kind = linear, .factor = 17}), 1);
  EXPECT_EQ(rotary_attention_factor({.attention_factor = 1.25}), 1.25);
}

void expect_refused(double base, const RotaryScaling& scaling, const std::string& text) {
  EXPECT_ERROR_WITH(ValueError, text, rotary_frequencies(14, base, scaling));
}

TEST(RotaryFrequencies, RefuseWhatMakesNoSense) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const Index width : {Index{7}, Index{-2}}) {
    EXPECT_ERROR_WITH(ValueError,
                      "rotary: width " + std::to_string(width) + " must be even and not negative",
                      rotary_frequencies(width));
  }
  expect_refused(0, {}, "rotary: base 0 must be positive and finite");
  expect_refused(-3, {}, "rotary: base -3 must be positive and finite");
  expect_refused(kNaN, {}, "rotary: base nan must be positive and finite");
  expect_refused(kInf, {}, "rotary: base inf must be positive and finite");
  EXPECT_ERROR_WITH(ValueError, "rotary: base 1e-320 turns pair 65 by 9",
                    rotary_frequencies(142, 1e-320));
  for (const auto& [factor, text] : {std::pair{0.5, "0.5"}, {kNaN, "nan"}, {kInf, "inf"}}) {
    expect_refused(10, {.kind = linear, .factor = factor},
                   std::string("rotary: factor ") + text + " must be finite and at least 1");
  }
  expect_refused(10, {.factor = 2}, "rotary: a factor of 2 needs a kind of scaling");
  for (const RotaryScalingKind kind : {dynamic_ntk, yarn, llama3}) {
    expect_refused(10, {.kind = kind, .factor = 2},
                   "rotary: original_length 0 must be positive for this scaling");
    expect_refused(10, {.kind = kind, .factor = 2, .original_length = -5},
                   "rotary: original_length -5 must be positive for this scaling");
  }
  RotaryScaling by_parts{.kind = yarn, .factor = 2, .original_length = 7};
  expect_refused(1, by_parts, "rotary: base 1 must be above 1 for yarn");
  by_parts.beta_slow = 32;
  expect_refused(10, by_parts, "rotary: beta_slow 32 must be below beta_fast 32");
  by_parts.beta_slow = 0;
  expect_refused(10, by_parts, "rotary: beta_slow 0 must be positive and finite");
  by_parts.beta_slow = 1;
  by_parts.beta_fast = kInf;
  expect_refused(10, by_parts, "rotary: beta_fast inf must be positive and finite");
  by_parts.kind = llama3;
  by_parts.low_freq_factor = 4;
  expect_refused(10, by_parts, "rotary: low_freq_factor 4 must be below high_freq_factor 4");
  by_parts.low_freq_factor = kNaN;
  expect_refused(10, by_parts, "rotary: low_freq_factor nan must be positive and finite");
  for (const double steps : {-1.0, kNaN, kInf}) {
    EXPECT_ERROR_WITH(ValueError, "must be finite and not negative",
                      rotary_frequencies(14, 10, {}, steps));
  }
  for (const double factor : {-1.0, kNaN, kInf}) {
    EXPECT_ERROR_WITH(ValueError, "rotary: attention_factor ",
                      rotary_attention_factor({.attention_factor = factor}));
  }
  set_memory_limit(memory_stats().reserved_bytes + (std::int64_t{1} << 28));
  EXPECT_THROW(rotary_frequencies(std::numeric_limits<Index>::max() - 1), Error);
  set_memory_limit(0);
}

}  // namespace
}  // namespace heed::attention
