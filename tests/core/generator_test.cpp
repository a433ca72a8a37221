#include "../../core/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "../../core/error.h"
#include "../../core/parallel.h"
#include "../support/throws.h"

namespace heed {
namespace {

// Random123's known answer for counter 0, key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
TEST(Generator, IsPhilox) {
  EXPECT_EQ(Generator(0).next(), 0x6627e8d5e169c58dU);
  const std::vector<float> expected = {0x6627e8p-24f, 0xe169c5p-24f, 0xbc57acp-24f, 0x9b00dbp-24f};
  EXPECT_EQ(Generator(0).uniform({4}, 0, 1).to_vector<float>(), expected);
}

// The whole counter and key: ffffffff in each of the words that a stream can reach.
TEST(Generator, UsesSeedAndPlaceInFull) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, ~0ULL}) {
    for (const std::uint64_t offset : {0ULL, 1ULL, 1ULL << 32, ~0ULL}) {
      Generator generator;
      generator.set_state({seed, offset});
      EXPECT_TRUE(seen.insert(generator.next()).second);
    }
  }
}

TEST(Generator, StateIsAllThereIs) {
  Generator generator(29);
  generator.normal({7}, 0, 1);
  generator.next();
  const Generator::State state = generator.state();
  const auto first = generator.uniform({5, 3}, -1, 1, DType::f64).to_vector<double>();
  generator.bernoulli({11}, 0.5);
  generator.set_state(state);
  EXPECT_EQ(generator.uniform({5, 3}, -1, 1, DType::f64).to_vector<double>(), first);
  Generator copy;
  copy.set_state(state);
  EXPECT_EQ(copy.uniform({5, 3}, -1, 1, DType::f64).to_vector<double>(), first);
  const Generator same(copy);
  EXPECT_EQ(same.state(), copy.state());
  generator.manual_seed(29);
  EXPECT_EQ(generator.state(), (Generator::State{29, 0}));
}

TEST(Generator, DrawsFollowEachOther) {
  Generator generator(3);
  EXPECT_NE(generator.uniform({64}, 0, 1).to_vector<float>(),
            generator.uniform({64}, 0, 1).to_vector<float>());
  EXPECT_NE(Generator(3).next(), Generator(4).next());
}

TEST(Generator, SameNumbersForAnyNumberOfThreads) {
  const int before = num_threads();
  std::vector<std::vector<float>> normal, uniform;
  std::vector<std::vector<bool>> coins;
  for (int threads = 1; threads <= 4; ++threads) {
    set_num_threads(threads);
    Generator generator(31);
    normal.push_back(generator.normal({100003}, 0, 1).to_vector<float>());
    uniform.push_back(generator.uniform({100003}, 0, 1).to_vector<float>());
    coins.push_back(generator.bernoulli({100003}, 0.3).to_vector<bool>());
  }
  set_num_threads(before);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(normal[i], normal[0]);
    EXPECT_EQ(uniform[i], uniform[0]);
    EXPECT_EQ(coins[i], coins[0]);
  }
}

// A number does not depend on how many are drawn with it.
TEST(Generator, ShorterDrawsAreTheBeginningOfLongerOnes) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto numbers = [dtype](Index count) {
      return Generator(5).normal({count}, 0, 1, dtype).to(DType::f64).to_vector<double>();
    };
    const auto all = numbers(1003);
    for (const Index count : {0, 1, 2, 3, 5, 8, 17, 1000}) {
      EXPECT_EQ(numbers(count), std::vector<double>(all.begin(), all.begin() + count));
    }
  }
}

struct Moments {
  double mean, variance, third, fourth;
};

Moments moments(const Array& array) {
  const auto x = array.to(DType::f64).to_vector<double>();
  const auto n = static_cast<double>(x.size());
  Moments m{std::accumulate(x.begin(), x.end(), 0.0) / n, 0, 0, 0};
  for (const double value : x) {
    const double d = value - m.mean;
    m.variance += d * d / n;
    m.third += d * d * d / n;
    m.fourth += d * d * d * d / n;
  }
  return m;
}

// Bounds are five standard errors of each figure; the seed is fixed.
TEST(Generator, UniformHasItsMoments) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Generator generator(7);
    const Array x = generator.uniform({200000}, 2, 5, dtype);
    const Moments m = moments(x);
    EXPECT_NEAR(m.mean, 3.5, 5 * std::sqrt(0.75 / 200000));
    EXPECT_NEAR(m.variance, 0.75, 5 * std::sqrt((9.0 * 9 / 80 - 0.75 * 0.75) / 200000));
    const auto values = x.to(DType::f64).to_vector<double>();
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 2);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 5);
  }
}

TEST(Generator, NormalHasItsMoments) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Generator generator(7);
    const Moments m = moments(generator.normal({200000}, 1, 2, dtype));
    EXPECT_NEAR(m.mean, 1, 5 * 2 / std::sqrt(200000.0));
    EXPECT_NEAR(m.variance, 4, 5 * 4 * std::sqrt(2.0 / 200000));
    EXPECT_NEAR(m.third / 8, 0, 5 * std::sqrt(15.0 / 200000));
    EXPECT_NEAR(m.fourth / 16, 3, 5 * std::sqrt(96.0 / 200000));
  }
}

// Pearson's chi squared over 64 bins: 63 degrees of freedom, mean 63, deviation 11.2.
TEST(Generator, UniformFillsItsBins) {
  Generator generator(11);
  std::vector<double> counts(64, 0);
  for (const float value : generator.uniform({64000}, 0, 1).to_vector<float>()) {
    ++counts[static_cast<std::size_t>(value * 64)];
  }
  double chi = 0;
  for (const double count : counts) chi += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi, 63 + 5 * 11.2);
  EXPECT_GT(chi, 63 - 5 * 11.2);
}

TEST(Generator, BernoulliKeepsItsProbability) {
  for (const double p : {0.0, 1e-3, 0.3, 0.999, 1.0}) {
    Generator generator(13);
    const auto coins = generator.bernoulli({100000}, p).to_vector<bool>();
    const auto hits = static_cast<double>(std::count(coins.begin(), coins.end(), true));
    EXPECT_NEAR(hits / 1e5, p, 5 * std::sqrt(p * (1 - p) / 1e5));
  }
}

TEST(Generator, BelowIsUniform) {
  Generator generator(17);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[static_cast<std::size_t>(generator.below(7))];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * 93);
  EXPECT_EQ(generator.below(1), 0);
  EXPECT_GE(generator.below(INT64_MAX), 0);
}

TEST(Generator, PermutationIsOne) {
  Generator generator(19);
  std::vector<Index> order = generator.permutation(1009);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_NE(order, generator.permutation(1009));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 1009; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(generator.permutation(0).empty());
  // Each of the six orders of three equally often.
  std::map<std::vector<Index>, int> counts;
  for (int i = 0; i < 6000; ++i) ++counts[generator.permutation(3)];
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [which, count] : counts) EXPECT_NEAR(count, 1000, 5 * 29);
}

TEST(Generator, DefaultIsSeeded) {
  manual_seed(23);
  const std::uint64_t first = default_generator().next();
  manual_seed(23);
  EXPECT_EQ(default_generator().next(), first);
}

TEST(Generator, RefusesNonsense) {
  Generator generator(0);
  EXPECT_ERROR(ValueError, "below: count 0 must be positive", generator.below(0));
  EXPECT_ERROR(ValueError, "permutation: count -1 is negative", generator.permutation(-1));
  const auto before = generator.state();
  EXPECT_ERROR(OutOfMemory, "permutation: 4611686018427387904 numbers do not fit into memory",
               generator.permutation(Index{1} << 62));
  EXPECT_EQ(generator.state(), before);
  EXPECT_ERROR(ValueError, "bernoulli: p 1.5 is not in [0, 1]", generator.bernoulli({3}, 1.5));
  EXPECT_ERROR(ValueError, "bernoulli: p nan is not in [0, 1]", generator.bernoulli({3}, NAN));
  EXPECT_ERROR(ValueError, "normal: deviation -1 is negative", generator.normal({3}, 0, -1));
  EXPECT_ERROR(ValueError, "uniform: bounds 0 and inf must be finite",
               generator.uniform({3}, 0, INFINITY));
  EXPECT_ERROR(DTypeError, "uniform: takes f32 or f64, not i64",
               generator.uniform({3}, 0, 1, DType::i64));
  EXPECT_THROW(generator.normal({-3}, 0, 1), ShapeError);
  EXPECT_EQ(generator.normal({0, 3}, 0, 1).numel(), 0);
}

}  // namespace
}  // namespace heed
