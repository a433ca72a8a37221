// Which numbers a stream gives, how many blocks each call takes, and what is refused.
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/every_simd.h"
#include "../support/throws.h"

namespace heed {
namespace {

using State = Generator::State;
using Block = r123::Philox4x32::ctr_type;

// The block at a place of a stream, by the reference.
Block block(std::uint64_t seed, std::uint64_t place) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const Block counter = {{low(place), low(place >> 32), 0, 0}};
  const r123::Philox4x32::key_type key = {{low(seed), low(seed >> 32)}};
  return r123::Philox4x32{}(counter, key);
}

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

constexpr std::uint64_t kSeed = 0x123456789abcdef1;

Generator at(std::uint64_t offset) {
  Generator generator(kSeed);
  generator.set_state({kSeed, offset});
  return generator;
}

TEST(GeneratorBounds, AWordIsTheFirstHalfOfABlock) {
  for (const std::uint64_t place : {0ULL, 7ULL, 0xffffffffULL, 0x500000000ULL}) {
    const Block b = block(kSeed, place);
    EXPECT_EQ(at(place).next(), joined(b[0], b[1]));
    EXPECT_EQ(at(place).uniform(), static_cast<double>(joined(b[0], b[1]) >> 11) * 0x1p-53);
  }
}

// 100 blocks across the place where the counter's second word begins to count.
TEST(GeneratorBounds, ArraysAreTheBlocksInTheirOrder) {
  const std::uint64_t first = 0x7fffffff0 - 50;
  under_every_simd([&] {
    const auto floats = at(first).uniform({397}, 0, 1).to_vector<float>();
    const auto doubles = at(first).uniform({199}, 0, 1, DType::f64).to_vector<double>();
    const auto coins = at(first).bernoulli({397}, 0.25).to_vector<bool>();
    for (std::size_t i = 0; i < 397; ++i) {
      const std::uint32_t word = block(kSeed, first + i / 4)[i % 4];
      ASSERT_EQ(floats[i], static_cast<float>(word >> 8) * 0x1p-24F) << i;
      ASSERT_EQ(coins[i], word < 0x40000000) << i;
    }
    for (std::size_t i = 0; i < 199; ++i) {
      const Block b = block(kSeed, first + i / 2);
      const std::uint64_t word = i % 2 == 0 ? joined(b[0], b[1]) : joined(b[2], b[3]);
      ASSERT_EQ(doubles[i], static_cast<double>(word >> 11) * 0x1p-53) << i;
    }
  });
}

TEST(GeneratorBounds, NormalNumbersAreBoxAndMullers) {
  const auto doubles = at(3).normal({31}, 2, 3, DType::f64).to_vector<double>();
  const auto floats = at(3).normal({31}, 2, 3).to_vector<float>();
  for (std::size_t i = 0; i < 31; ++i) {
    const Block b = block(kSeed, 3 + i / 2);
    const double u = static_cast<double>(joined(b[0], b[1]) >> 11) * 0x1p-53;
    const double v = static_cast<double>(joined(b[2], b[3]) >> 11) * 0x1p-53;
    const double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * std::numbers::pi * v;
    const double expected = 2 + 3 * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    EXPECT_NEAR(doubles[i], expected, 1e-13) << i;
    EXPECT_EQ(floats[i], static_cast<float>(doubles[i])) << i;
  }
}

TEST(GeneratorBounds, UniformNumbersAreShiftedAndStretched) {
  const auto unit = at(5).uniform({17}, 0, 1, DType::f64).to_vector<double>();
  const auto wide = at(5).uniform({17}, -3, 4, DType::f64).to_vector<double>();
  const auto floats = at(5).uniform({17}, 0, 1).to_vector<float>();
  const auto wider = at(5).uniform({17}, -3, 4).to_vector<float>();
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_DOUBLE_EQ(wide[i], -3 + 7 * unit[i]);
    EXPECT_FLOAT_EQ(wider[i], -3 + 7 * floats[i]);
  }
  EXPECT_EQ(at(5).uniform({3}, 2, 2).to_vector<float>(), std::vector<float>(3, 2));
}

TEST(GeneratorBounds, EachCallTakesItsBlocks) {
  const auto taken = [](const auto& call) {
    Generator generator(kSeed);
    call(generator);
    EXPECT_EQ(generator.state().seed, kSeed);
    return generator.state().offset;
  };
  EXPECT_EQ(taken([](Generator& g) { g.next(); }), 1U);
  EXPECT_EQ(taken([](Generator& g) { g.uniform(); }), 1U);
  EXPECT_EQ(taken([](Generator& g) { g.below(7); }), 1U);
  EXPECT_EQ(taken([](Generator& g) { g.permutation(5); }), 4U);
  EXPECT_EQ(taken([](Generator& g) { g.permutation(1); }), 0U);
  EXPECT_EQ(taken([](Generator& g) { g.uniform({8}, 0, 1); }), 2U);
  EXPECT_EQ(taken([](Generator& g) { g.uniform({9}, 0, 1); }), 3U);
  EXPECT_EQ(taken([](Generator& g) { g.uniform({9}, 0, 1, DType::f64); }), 5U);
  EXPECT_EQ(taken([](Generator& g) { g.normal({9}, 0, 1); }), 5U);
  EXPECT_EQ(taken([](Generator& g) { g.normal({8}, 0, 1, DType::f64); }), 4U);
  EXPECT_EQ(taken([](Generator& g) { g.bernoulli({9}, 0.5); }), 3U);
  EXPECT_EQ(taken([](Generator& g) { g.normal({0, 3}, 0, 1); }), 0U);
  EXPECT_EQ(taken([](Generator& g) { g.skip(11); }), 11U);
}

TEST(GeneratorBounds, SkipsSayWhereTheyBegan) {
  Generator generator(3);
  EXPECT_EQ(generator.skip(2), (State{3, 0}));
  EXPECT_EQ(generator.skip(0), (State{3, 2}));
  EXPECT_EQ(generator.skip(5), (State{3, 2}));
  EXPECT_EQ(generator.state(), (State{3, 7}));
  EXPECT_ERROR(ValueError, "skip: -1 blocks", generator.skip(-1));
}

TEST(GeneratorBounds, BeginsAtZeroAndCopiesItsState) {
  EXPECT_EQ(Generator().state(), (State{0, 0}));
  EXPECT_EQ(State(), (State{0, 0}));
  Generator a(5);
  a.next();
  Generator b(7);
  b = a;
  EXPECT_EQ(b.state(), (State{5, 1}));
  EXPECT_EQ(b.next(), a.next());
  EXPECT_FALSE((State{5, 1}) == (State{5, 2}));
  EXPECT_FALSE((State{5, 1}) == (State{6, 1}));
}

TEST(GeneratorBounds, NumbersAreFloatsUnlessSaidOtherwise) {
  EXPECT_EQ(Generator(3).uniform({2}, 0, 1).dtype(), DType::f32);
  EXPECT_EQ(Generator(3).normal({2}, 0, 1).dtype(), DType::f32);
}

TEST(GeneratorBounds, ProbabilitiesMayBeNothingAndAll) {
  Generator generator(3);
  EXPECT_EQ(generator.bernoulli({1009}, 0).to_vector<bool>(), std::vector<bool>(1009, false));
  EXPECT_EQ(generator.bernoulli({1009}, 1).to_vector<bool>(), std::vector<bool>(1009, true));
  EXPECT_THROW(generator.bernoulli({3}, -0.01), ValueError);
  EXPECT_THROW(generator.bernoulli({3}, std::nextafter(1.0, 2.0)), ValueError);
}

TEST(GeneratorBounds, BoundsAreFiniteAndInOrder) {
  Generator generator(3);
  const double inf = std::numeric_limits<double>::infinity(), most = 1.7e308;
  EXPECT_ERROR(ValueError, "uniform: no range from 2 to 1", generator.uniform({3}, 2, 1));
  EXPECT_ERROR_WITH(ValueError, "uniform: no range from ", generator.uniform({3}, -most, most));
  EXPECT_ERROR(ValueError, "uniform: no range of f32 from -1e+300 to 0",
               generator.uniform({3}, -1e300, 0));
  EXPECT_ERROR_WITH(ValueError, "uniform: no range of f32 from ",
                    generator.uniform({3}, -3e38, 3e38));
  EXPECT_ERROR(ValueError, "uniform: bounds -inf and 0 must be finite",
               generator.uniform({3}, -inf, 0));
  EXPECT_ERROR(ValueError, "normal: bounds inf and 1 must be finite",
               generator.normal({3}, inf, 1));
  EXPECT_ERROR(ValueError, "normal: bounds 0 and nan must be finite",
               generator.normal({3}, 0, NAN));
  EXPECT_ERROR(DTypeError, "normal: takes f32 or f64, not bool",
               generator.normal({3}, 0, 1, DType::boolean));
  EXPECT_ERROR(ValueError, "normal: f32 does not hold mean -1e+39 and deviation 1",
               generator.normal({3}, -1e39, 1));
  EXPECT_ERROR(ValueError, "normal: f32 does not hold mean 0 and deviation 1e+39",
               generator.normal({3}, 0, 1e39));
  EXPECT_EQ(generator.normal({3}, 2, 0).to_vector<float>(), std::vector<float>(3, 2));
  EXPECT_ERROR(ValueError, "below: count -3 must be positive", generator.below(-3));
  EXPECT_EQ(generator.state().offset, 2U) << "what is refused takes nothing";
  for (const float drawn : generator.uniform({101}, 0, 3.4e38).to_vector<float>()) {
    EXPECT_TRUE(std::isfinite(drawn));
  }
  for (const double drawn : generator.uniform({101}, -3e38, 3e38, DType::f64).to_vector<double>()) {
    EXPECT_LE(std::fabs(drawn), 3e38);
  }
}

// Of what would make some numbers likelier than others another is drawn.
TEST(GeneratorBounds, BelowDrawsAgainWhereItMust) {
  const auto count =
      static_cast<std::uint64_t>(INT64_MAX / 4 * 3);  // a quarter of the words is over
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % count;
  Generator generator(kSeed), words(kSeed);
  int again = 0;
  for (int i = 0; i < 200; ++i) {
    std::uint64_t word = words.next();
    for (; word >= limit; word = words.next()) ++again;
    ASSERT_EQ(generator.below(static_cast<Index>(count)), static_cast<Index>(word % count));
    ASSERT_EQ(generator.state(), words.state());
  }
  EXPECT_GT(again, 0);
}

}  // namespace
}  // namespace heed
