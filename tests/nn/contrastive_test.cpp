#include "../../nn/contrastive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../../nn/sampling.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

std::vector<double> logs(const std::vector<double>& chances, double shift) {
  std::vector<double> out;
  for (const double p : chances) out.push_back(std::log(p) + shift);
  return out;
}

TEST(Contrast, IsWhatTheExpertSaysBeyondTheAmateur) {
  const auto scores =
      contrast(logs({0.5, 0.3, 0.15, 0.05}, 2), logs({0.6, 0.1, 0.25, 0.05}, -3), 0.2);
  EXPECT_NEAR(scores[0], std::log(0.5 / 0.6), 1e-12);
  EXPECT_NEAR(scores[1], std::log(3), 1e-12);
  EXPECT_NEAR(scores[2], std::log(0.15 / 0.25), 1e-12);
  EXPECT_EQ(scores[3], -INFINITY);  // less than a fifth as likely as the likeliest
  Generator none(1);
  EXPECT_EQ(sample(scores, {.temperature = 0}, none), 1);
}

TEST(Contrast, HoldsWithWhatTheAmateurThinksImpossible) {
  const auto scores = contrast(logs({0.5, 0.5}, 0), {0, -INFINITY}, 0.5);
  EXPECT_TRUE(std::isfinite(scores[1]));
  EXPECT_GT(scores[1], scores[0]);
  EXPECT_NEAR(scores[1], std::log(0.5) - std::log(std::numeric_limits<double>::min()), 1e-9);
  // What is no number has no share, in either of them.
  const auto first = contrast({0, NAN}, {0, 0});
  EXPECT_NEAR(first[0], std::log(2), 1e-12);
  EXPECT_EQ(first[1], -INFINITY);
  EXPECT_NEAR(contrast({0, 0}, {NAN, 7})[1], std::log(0.5), 1e-12);
  EXPECT_GT(contrast({0, 0}, {NAN, 7})[0], 700);
}

TEST(Contrast, AtAnAlphaOfOneOnlyTheLikeliestStay) {
  const auto scores = contrast({1, 3, 3, 2}, {0, 0, 0, 0}, 1);
  EXPECT_EQ(scores[0], -INFINITY);
  EXPECT_TRUE(std::isfinite(scores[1]) && std::isfinite(scores[2]));
  EXPECT_EQ(scores[3], -INFINITY);
}

TEST(Contrast, AlphaIsATenthWhereNothingIsSaid) {
  const auto scores = contrast(logs({0.5, 0.051, 0.049}, 0), {0, 0, 0});
  EXPECT_TRUE(std::isfinite(scores[1]));
  EXPECT_EQ(scores[2], -INFINITY);
}

TEST(Contrast, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "contrast: the expert has 2 scores, the amateur 1",
               contrast({1, 2}, {1}));
  EXPECT_ERROR(ValueError, "contrast: alpha 0 is not in (0, 1]", contrast({1}, {1}, 0));
  EXPECT_ERROR(ValueError, "contrast: alpha 1.5 is not in (0, 1]", contrast({1}, {1}, 1.5));
  EXPECT_ERROR(ValueError, "contrast: alpha nan is not in (0, 1]", contrast({1}, {1}, NAN));
  EXPECT_ERROR(ValueError, "contrast: none of the expert's 1 scores is finite",
               contrast({NAN}, {1}));
  EXPECT_ERROR(ValueError, "contrast: none of the amateur's 1 scores is finite",
               contrast({1}, {-INFINITY}));
}

Tensor before() { return tensor({1., 0., 0., 2.}, {2, 2}); }

TEST(ContrastiveSearch, TakesTheLikelyThatIsNew) {
  // Like the first, like the second, like neither.
  const Tensor candidates = tensor({3., 0., 0.1, 5., -1., -1.}, {3, 2});
  const std::vector<double> chances = {0.5, 0.3, 0.2};
  EXPECT_EQ(contrastive_choice(chances, candidates, before(), 0), 0);
  EXPECT_EQ(contrastive_choice(chances, candidates, before(), 0.6), 2);
  // (1 - a) 0.5 - a = (1 - a) 0.2 + a sqrt(0.5), where the third overtakes the first.
  const double a = 0.3 / (0.3 + 1 + std::sqrt(0.5));
  EXPECT_EQ(contrastive_choice(chances, candidates, before(), a - 1e-6), 0);
  EXPECT_EQ(contrastive_choice(chances, candidates, before(), a + 1e-6), 2);
}

TEST(ContrastiveSearch, GoesByProbabilityWhereNothingIsToBeUnlike) {
  const Tensor candidates = tensor({3., 0., 0.1, 5.}, {2, 2});
  EXPECT_EQ(contrastive_choice({0.4, 0.6}, candidates, zeros({0, 2}), 0.9), 1);
  EXPECT_EQ(contrastive_choice({0.5, 0.5}, zeros({2, 2}), before(), 0.9), 0);
}

TEST(ContrastiveSearch, GoesByNewnessAloneAtAnAlphaOfOne) {
  const Tensor candidates = tensor({1., 1., -2., 0.5, 3., -1.}, {3, 2});
  EXPECT_EQ(contrastive_choice({0.9, 0.02, 0.08}, candidates, before(), 1), 1);
  // All of them point away from what came, the second most of all.
  const Tensor away = tensor({-1., 1., -3., 0., -1., 2.}, {3, 2});
  EXPECT_EQ(contrastive_choice({0.9, 0.02, 0.08}, away, tensor({2., 0.}, {1, 2}), 1), 1);
}

TEST(ContrastiveSearch, AlphaIsSixTenthsWhereNothingIsSaid) {
  const Tensor candidates = tensor({1., 0., 0., 1.}, {2, 2}), past = tensor({5., 0.}, {1, 2});
  // 0.4 p - 0.6 of what came before, 0.4 p of the other.
  EXPECT_EQ(contrastive_choice({2.26, 0.75}, candidates, past), 0);
  EXPECT_EQ(contrastive_choice({2.24, 0.75}, candidates, past), 1);
}

TEST(ContrastiveSearch, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "contrastive_choice: before must be [n, 2], not f32[2, 3]",
               contrastive_choice({1}, zeros({1, 2}), zeros({2, 3})));
  EXPECT_ERROR(ShapeError, "contrastive_choice: candidates must be [n, d], not f32[2]",
               contrastive_choice({1}, zeros({2}), before()));
  EXPECT_ERROR(ShapeError, "contrastive_choice: 3 probabilities for candidates f32[2, 2]",
               contrastive_choice({1, 2, 3}, zeros({2, 2}), before()));
  EXPECT_ERROR(DTypeError, "contrastive_choice: takes f32 or f64, not i64",
               contrastive_choice({1}, zeros({1, 2}, DType::i64), before()));
  EXPECT_ERROR(ValueError, "contrastive_choice: alpha 2 is not in [0, 1]",
               contrastive_choice({1}, zeros({1, 2}), before(), 2));
  EXPECT_ERROR(ValueError, "contrastive_choice: alpha -0.5 is not in [0, 1]",
               contrastive_choice({1}, zeros({1, 2}), before(), -0.5));
  EXPECT_ERROR(ShapeError, "contrastive_choice: 0 probabilities for candidates f32[0, 2]",
               contrastive_choice({}, zeros({0, 2}), before()));
  EXPECT_ERROR(ShapeError, "contrastive_choice: before must be [n, 2], not f32[1, 1, 2]",
               contrastive_choice({1}, zeros({1, 2}), zeros({1, 1, 2})));
  // One that is NaN is like nothing, and would win.
  EXPECT_ERROR(ValueError, "contrastive_choice: candidates f32[2, 2] hold nan",
               contrastive_choice({0.9, 0.1}, tensor({3., 0., NAN, 1.}, {2, 2}), before()));
  EXPECT_ERROR(ValueError, "contrastive_choice: before f32[1, 2] hold inf",
               contrastive_choice({1}, zeros({1, 2}), tensor({INFINITY, 1.}, {1, 2})));
  EXPECT_ERROR(GradError, "contrastive_choice: candidates is undefined",
               contrastive_choice({1}, Tensor(), before()));
  EXPECT_ERROR(GradError, "contrastive_choice: before is undefined",
               contrastive_choice({1}, zeros({1, 2}), Tensor()));
}

}  // namespace
}  // namespace heed::nn
