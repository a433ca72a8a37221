#include "../../nn/sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

TEST(Sampling, DrawsAsOftenAsTheScoresSay) {
  const std::vector<double> chances = {0.5, 0.125, 0.25, 0.125};
  std::vector<double> scores;
  for (const double p : chances) scores.push_back(7 + std::log(p));
  Generator generator(3);
  std::vector<double> counts(4);
  for (int i = 0; i < 8000; ++i) {
    ++counts[static_cast<std::size_t>(sample(scores, {}, generator))];
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(counts[i] / 8000, chances[i], 0.02);
  std::vector<double> colder(4);  // p^2 of the two highest: 4 / 5 and 1 / 5
  for (int i = 0; i < 8000; ++i) {
    ++colder[static_cast<std::size_t>(sample(scores, {.temperature = 0.5, .top_k = 2}, generator))];
  }
  EXPECT_NEAR(colder[0] / 8000, 0.8, 0.02);
  EXPECT_EQ(colder[0] + colder[2], 8000);
}

TEST(Sampling, NeverDrawsWhatIsForbiddenOrNoNumber) {
  Generator generator(5);
  for (const double temperature : {0.0, 1.0}) {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(sample({9, NAN, -3}, {.temperature = temperature, .forbidden = {0}}, generator), 2);
    }
  }
}

std::vector<double> logs(const std::vector<double>& chances) {
  std::vector<double> out;
  for (const double p : chances) out.push_back(std::log(p) - 3);
  return out;
}

void expect_near(const std::vector<double>& have, const std::vector<double>& wanted) {
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(have[i], wanted[i], 1e-12) << i;
}

TEST(Sampling, ANucleusIsTheLikeliestThatHaveTheShare) {
  const auto scores = logs({0.1, 0.4, 0.2, 0.3});
  expect_near(probabilities(scores, {}), {0.1, 0.4, 0.2, 0.3});
  expect_near(probabilities(scores, {.top_p = 0.7 - 1e-9}), {0, 4.0 / 7, 0, 3.0 / 7});
  expect_near(probabilities(scores, {.top_p = 0.75}), {0, 4.0 / 9, 2.0 / 9, 3.0 / 9});
  expect_near(probabilities(scores, {.top_p = 1e-9}), {0, 1, 0, 0});
  // Of equals the first; after the temperature and the k likeliest.
  expect_near(probabilities(logs({0.25, 0.25, 0.25, 0.25}), {.top_p = 0.4}), {0.5, 0.5, 0, 0});
  expect_near(probabilities(scores, {.top_k = 2, .top_p = 0.5}), {0, 1, 0, 0});
  expect_near(probabilities(scores, {.temperature = 0.5, .top_p = 0.5}), {0, 1, 0, 0});
}

TEST(Sampling, MinPIsAShareOfTheLikeliest) {
  const auto scores = logs({0.1, 0.4, 0.2, 0.3});
  expect_near(probabilities(scores, {.min_p = 0.5 - 1e-9}), {0, 4.0 / 9, 2.0 / 9, 3.0 / 9});
  expect_near(probabilities(scores, {.min_p = 0.6}), {0, 4.0 / 7, 0, 3.0 / 7});
  expect_near(probabilities(scores, {.min_p = 1}), {0, 1, 0, 0});
  expect_near(probabilities(scores, {.temperature = 0, .min_p = 0.1}), {0, 1, 0, 0});
}

TEST(Sampling, TheKLikeliestAreAmongAll) {
  const auto scores = logs({0.1, 0.4, 0.2, 0.3});
  expect_near(probabilities(scores, {.top_k = 1}), {0, 1, 0, 0});
  expect_near(probabilities(scores, {.top_k = 3}), {0, 4.0 / 9, 2.0 / 9, 3.0 / 9});
  for (const Index all : {4, 5, 1000}) {
    expect_near(probabilities(scores, {.top_k = all}), {0.1, 0.4, 0.2, 0.3});
  }
  expect_near(probabilities(scores, {.top_p = 1, .min_p = 0}), {0.1, 0.4, 0.2, 0.3});
}

TEST(Sampling, DrawsByTheProbabilitiesItTells) {
  const auto scores = logs({0.1, 0.4, 0.2, 0.3});
  const SamplingOptions options{.temperature = 1.3, .forbidden = {3}, .top_p = 0.9, .min_p = 0.3};
  const auto wanted = probabilities(scores, options);
  Generator generator(9);
  std::vector<double> counts(4);
  for (int i = 0; i < 8000; ++i) {
    ++counts[static_cast<std::size_t>(sample(scores, options, generator))];
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(counts[i] / 8000, wanted[i], 0.02);
    EXPECT_EQ(counts[i] == 0, wanted[i] == 0);
  }
}

TEST(Sampling, RefusesWhatItCannotDraw) {
  Generator generator(1);
  EXPECT_ERROR(ValueError, "sample: none of 0 scores can be drawn", sample({}, {}, generator));
  EXPECT_ERROR(ValueError, "sample: none of 2 scores can be drawn",
               sample({NAN, -INFINITY}, {}, generator));
  EXPECT_ERROR(ValueError, "sample: none of 2 scores can be drawn",
               sample({1, INFINITY}, {}, generator));
  EXPECT_ERROR(ValueError, "sample: temperature -1 must be 0 or more",
               sample({1}, {.temperature = -1}, generator));
  EXPECT_ERROR(ValueError, "sample: temperature nan must be 0 or more",
               sample({1}, {.temperature = NAN}, generator));
  EXPECT_ERROR(ValueError, "sample: temperature inf must be 0 or more",
               sample({1}, {.temperature = INFINITY}, generator));
  EXPECT_ERROR(ValueError, "sample: top_k -1 must not be negative",
               sample({1}, {.top_k = -1}, generator));
  EXPECT_ERROR(ValueError, "sample: top_p 0 is not in (0, 1]",
               sample({1}, {.top_p = 0}, generator));
  EXPECT_ERROR(ValueError, "sample: top_p 1.5 is not in (0, 1]",
               probabilities({1}, {.top_p = 1.5}));
  EXPECT_ERROR(ValueError, "sample: min_p -1 is not in [0, 1]", probabilities({1}, {.min_p = -1}));
  EXPECT_ERROR(ValueError, "sample: min_p nan is not in [0, 1]",
               probabilities({1}, {.min_p = NAN}));
  EXPECT_ERROR(ValueError, "sample: min_p 1.5 is not in [0, 1]",
               probabilities({1}, {.min_p = 1.5}));
  EXPECT_ERROR(IndexError, "sample: forbidden 2 is none of 2 scores",
               sample({1, 2}, {.forbidden = {2}}, generator));
  EXPECT_ERROR(IndexError, "sample: forbidden -1 is none of 2 scores",
               sample({1, 2}, {.forbidden = {-1}}, generator));
}

TEST(Sampling, OfEqualsTheFirstStay) {
  const auto scores = logs({0.125, 0.25, 0.125, 0.25, 0.25});
  expect_near(probabilities(scores, {.top_k = 2}), {0, 0.5, 0, 0.5, 0});
  expect_near(probabilities(scores, {.top_k = 4}), {1.0 / 7, 2.0 / 7, 0, 2.0 / 7, 2.0 / 7});
  expect_near(probabilities({5, 5, 5}, {.top_k = 1}), {1, 0, 0});
  expect_near(probabilities({5, 5, 5, 5}, {.top_p = 0.5}), {0.5, 0.5, 0, 0});
}

}  // namespace
}  // namespace heed::nn
