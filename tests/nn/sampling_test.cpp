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

TEST(Sampling, RefusesWhatItCannotDraw) {
  Generator generator(1);
  EXPECT_THROW(sample({}, {}, generator), ValueError);
  EXPECT_THROW(sample({NAN, -INFINITY}, {}, generator), ValueError);
  EXPECT_THROW(sample({1}, {.temperature = -1}, generator), ValueError);
  EXPECT_THROW(sample({1}, {.temperature = NAN}, generator), ValueError);
  EXPECT_THROW(sample({1}, {.top_k = -1}, generator), ValueError);
  EXPECT_ERROR(IndexError, "sample: forbidden 2 is none of 2 scores",
               sample({1, 2}, {.forbidden = {2}}, generator));
}

}  // namespace
}  // namespace heed::nn
