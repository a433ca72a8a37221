#include "../../nn/ctc_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../../autograd/ops/losses/ctc_loss.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Labels = std::vector<Index>;

constexpr double kNever = -std::numeric_limits<double>::infinity();

Tensor drawn(const Shape& shape, std::uint64_t seed, double sharp = 1) {
  Generator generator(seed);
  return log_softmax(Tensor(generator.normal(shape, 0, sharp, DType::f64)), -1);
}

// The probability of each labelling, over all C^T alignments.
std::map<Labels, double> all_labellings(const Tensor& log_probs, Index row, Index length,
                                        Index blank) {
  const Index N = log_probs.size(1), C = log_probs.size(2);
  const Numbers p = numbers(log_probs);
  std::map<Labels, double> out;
  Labels alignment(static_cast<std::size_t>(length), 0);
  for (;;) {
    Labels labels;
    double log_probability = 0;
    Index last = blank;
    for (Index t = 0; t < length; ++t) {
      const Index c = alignment[static_cast<std::size_t>(t)];
      log_probability += p[static_cast<std::size_t>((t * N + row) * C + c)];
      if (c != blank && c != last) labels.push_back(c);
      last = c;
    }
    out[labels] += std::exp(log_probability);
    std::size_t at = 0;
    while (at < alignment.size() && ++alignment[at] == C) alignment[at++] = 0;
    if (at == alignment.size()) return out;
  }
}

TEST(CtcSearch, AWideBeamFindsTheLikeliestOfAllLabellings) {
  for (const Index blank : {0, 2}) {
    const Tensor log_probs = drawn({5, 3, 3}, 3 + static_cast<std::uint64_t>(blank));
    const std::vector<Index> lengths = {5, 3, 1};
    const auto found = ctc_search(log_probs, lengths, {.blank = blank, .beam = 500, .n_best = 5});
    ASSERT_EQ(found.size(), 3U);
    for (std::size_t n = 0; n < 3; ++n) {
      const auto all = all_labellings(log_probs, static_cast<Index>(n), lengths[n], blank);
      std::vector<std::pair<double, Labels>> best;
      for (const auto& [labels, probability] : all) best.emplace_back(probability, labels);
      std::sort(best.rbegin(), best.rend());
      ASSERT_EQ(found[n].size(), std::min<std::size_t>(5, best.size()));
      for (std::size_t i = 0; i < found[n].size(); ++i) {
        EXPECT_EQ(found[n][i].labels, best[i].second);
        EXPECT_NEAR(found[n][i].log_probability, std::log(best[i].first), 1e-12);
        ASSERT_EQ(found[n][i].steps.size(), found[n][i].labels.size());
        EXPECT_TRUE(std::is_sorted(found[n][i].steps.begin(), found[n][i].steps.end()));
      }
    }
  }
}

TEST(CtcSearch, ItsProbabilityIsThatOfTheLoss) {
  const Tensor log_probs = drawn({7, 1, 4}, 11);
  const auto found = ctc_search(log_probs, {7}, {.beam = 1000, .n_best = 20});
  for (const CtcHypothesis& each : found[0]) {
    const auto count = static_cast<Index>(each.labels.size());
    const Tensor loss = ctc_loss(log_probs, Array::from(each.labels, {1, count}), {7}, {count},
                                 {.reduction = Reduction::none});
    EXPECT_NEAR(each.log_probability, -loss.array().item(), 1e-10);
  }
}

// Two ways to "1" of 0.24 and 0.16 are likelier than the one of 0.36 to nothing.
TEST(CtcSearch, AddsUpWhatGreedyDoesNot) {
  const Numbers logs = {std::log(0.6), std::log(0.4), std::log(0.6), std::log(0.4)};
  const Tensor log_probs(Array::from(logs, {2, 1, 2}));
  const CtcHypothesis greedy = ctc_greedy(log_probs, {2})[0];
  EXPECT_THAT(greedy.labels, IsEmpty());
  EXPECT_NEAR(greedy.log_probability, std::log(0.36), 1e-12);
  const CtcHypothesis best = ctc_search(log_probs, {2})[0][0];
  EXPECT_THAT(best.labels, ElementsAre(1));
  EXPECT_NEAR(best.log_probability, std::log(0.64), 1e-12);
}

// Sure of each step.
Tensor path(const Labels& classes, Index C) {
  Array out = Array::full({static_cast<Index>(classes.size()), 1, C}, kNever, DType::f64);
  for (std::size_t t = 0; t < classes.size(); ++t) {
    out.mutable_data<double>()[static_cast<Index>(t) * C + classes[t]] = 0;
  }
  return Tensor(out);
}

TEST(CtcSearch, MergesRepeatsUnlessABlankStandsBetween) {
  const Tensor log_probs = path({0, 2, 2, 0, 2, 1, 1, 0}, 3);
  for (const CtcHypothesis& each :
       {ctc_greedy(log_probs, {8})[0], ctc_search(log_probs, {8}, {.beam = 2})[0][0]}) {
    EXPECT_THAT(each.labels, ElementsAre(2, 2, 1));
    EXPECT_THAT(each.steps, ElementsAre(1, 4, 5));
    EXPECT_EQ(each.log_probability, 0);
  }
  EXPECT_THAT(ctc_greedy(log_probs, {2})[0].labels, ElementsAre(2));
  EXPECT_THAT(ctc_greedy(path({2, 0, 2}, 3), {3}, 2)[0].labels, ElementsAre(0));
  EXPECT_THAT(ctc_search(log_probs, {0})[0][0].labels, IsEmpty());
}

// How each label begins in the likeliest way that leads to it in the last step.
TEST(CtcSearch, LabelsBeginWhereTheLikeliestWayHasThem) {
  const auto begins = [](const Numbers& labels) {
    Numbers logs;
    for (const double p : labels) logs.insert(logs.end(), {std::log(1 - p), std::log(p)});
    const auto T = static_cast<Index>(labels.size());
    const auto found = ctc_search(Tensor(Array::from(logs, {T, 1, 2})), {T}, {.n_best = 4});
    for (const CtcHypothesis& each : found[0]) {
      if (each.labels == Labels{1}) return each.steps;
    }
    return std::vector<Index>{-1};
  };
  EXPECT_THAT(begins({0.3, 0.6}), ElementsAre(1));  // 0.42, 0.18 and 0.12
  EXPECT_THAT(begins({0.6, 0.6}), ElementsAre(0));  // 0.24, 0.36 and 0.24
  EXPECT_THAT(begins({0.4, 0.1}), ElementsAre(0));  // 0.06, 0.04 and 0.36
}

TEST(CtcSearch, OfEqualsTheOneWhoseLabelsComeFirstStays) {
  const Tensor same = full({1, 1, 4}, std::log(0.25), DType::f64);
  const auto found = ctc_search(same, {1}, {.blank = 2, .beam = 3, .n_best = 3})[0];
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].labels, IsEmpty());
  EXPECT_THAT(found[1].labels, ElementsAre(0));
  EXPECT_THAT(found[2].labels, ElementsAre(1));
  EXPECT_EQ(ctc_search(same, {1}, {.n_best = 10})[0].size(), 4U);
}

TEST(CtcSearch, WhatCannotBeIsNotFound) {
  const double half = std::log(0.5);
  const Tensor log_probs = tensor({half, kNever, half, half, kNever, half}, {2, 1, 3}, DType::f64);
  const auto found = ctc_search(log_probs, {2}, {.beam = 9, .n_best = 9})[0];
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].labels, ElementsAre(2));
  EXPECT_NEAR(found[0].log_probability, std::log(0.75), 1e-12);
  EXPECT_THAT(found[1].labels, IsEmpty());
}

TEST(CtcSearch, ABeamOfOneIsNoBetterThanAWiderOne) {
  const Tensor log_probs = drawn({23, 4, 6}, 13, 2);
  const std::vector<Index> lengths = {23, 17, 11, 5};
  const auto narrow = ctc_search(log_probs, lengths, {.beam = 1});
  const auto wide = ctc_search(log_probs, lengths, {.beam = 50});
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_LE(narrow[n][0].log_probability, wide[n][0].log_probability + 1e-12);
    EXPECT_GE(wide[n][0].log_probability, ctc_greedy(log_probs, lengths)[n].log_probability);
  }
}

TEST(CtcSearch, SaysWhatIsWrong) {
  const Tensor log_probs = drawn({5, 2, 3}, 17);
  EXPECT_ERROR(ValueError, "ctc_greedy: the blank 3 is none of 3 classes",
               ctc_greedy(log_probs, {5, 5}, 3));
  EXPECT_ERROR(ValueError, "ctc_search: 1 lengths for 2 rows", ctc_search(log_probs, {5}));
  EXPECT_ERROR(ValueError, "ctc_search: length 6 of row 1 is not in [0, 5]",
               ctc_search(log_probs, {5, 6}));
  EXPECT_ERROR(ValueError, "ctc_search: n_best 3 must be in [1, beam 2]",
               ctc_search(log_probs, {5, 5}, {.beam = 2, .n_best = 3}));
  EXPECT_ERROR(ValueError, "ctc_search: n_best 0 must be in [1, beam 0]",
               ctc_search(log_probs, {5, 5}, {.beam = 0, .n_best = 0}));
  EXPECT_ERROR(ValueError, "ctc_search: n_best 0 must be in [1, beam 10]",
               ctc_search(log_probs, {5, 5}, {.n_best = 0}));
  EXPECT_ERROR(ValueError, "ctc_search: the blank -1 is none of 3 classes",
               ctc_search(log_probs, {5, 5}, {.blank = -1}));
  EXPECT_ERROR(ValueError, "ctc_greedy: length -1 of row 0 is not in [0, 5]",
               ctc_greedy(log_probs, {-1, 5}));
  EXPECT_ERROR(ShapeError, "ctc_search: log_probs must be [T, N, C], not undefined",
               ctc_search(Tensor(), {5, 5}));
  EXPECT_ERROR(ShapeError, "ctc_greedy: log_probs must be [T, N, C], not f32[2, 3]",
               ctc_greedy(zeros({2, 3}), {2}));
  EXPECT_ERROR(DTypeError, "ctc_greedy: log_probs must be f32 or f64, not i64[2, 3, 4]",
               ctc_greedy(Tensor(Array::zeros({2, 3, 4}, DType::i64)), {2, 2, 2}));
  for (const double bad : {std::nan(""), -kNever, kNever}) {
    Array numbers = log_probs.array().clone();
    std::fill_n(numbers.mutable_data<double>() + 3 * (2 * 1 + 1), 3, bad);  // step 1, row 1
    EXPECT_ERROR(ValueError, "ctc_search: row 1, step 1: NaN, infinity, or no class that can be",
                 ctc_search(Tensor(numbers), {5, 5}));
    EXPECT_NO_THROW(ctc_search(Tensor(numbers), {5, 1}));
  }
}

}  // namespace
}  // namespace heed::nn
