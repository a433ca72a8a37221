#include "../../nn/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/parallel.h"
#include "prefix_decoding.h"

namespace heed {
namespace {

using nn::BeamSearchOptions, nn::Hypothesis;
using testing::ElementsAre, testing::IsEmpty, testing::SizeIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Numbers log_softmax(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += std::exp(value);
  Numbers out;
  for (const double value : x) out.push_back(value - std::log(sum));
  return out;
}

// A text with its marks; the score by the formula.
struct Known {
  Words words;
  double log_p = 0;
  bool finished = false;
};

double score(const Model& model, Index source, const Known& text, const BeamSearchOptions& o) {
  const std::size_t length = text.words.size() - 1;
  double out = text.log_p / std::pow((5 + static_cast<double>(length)) / 6, o.length_penalty);
  if (o.coverage_penalty == 0) return out;
  Numbers totals;
  for (std::size_t t = 0; t < length; ++t) {
    const Words prefix(text.words.begin(), text.words.begin() + static_cast<Index>(t) + 1);
    const Numbers w = model.weights(source, prefix);
    totals.resize(w.size());
    for (std::size_t k = 0; k < w.size(); ++k) totals[k] += w[k];
  }
  for (const double total : totals) {
    if (total > 0) out += o.coverage_penalty * std::log(std::min(total, 1.0));
  }
  return out;
}

void sort_best(std::vector<Known>& texts, const Model& model, Index source,
               const BeamSearchOptions& o) {
  std::stable_sort(texts.begin(), texts.end(), [&](const Known& a, const Known& b) {
    if (a.finished != b.finished) return a.finished;
    return score(model, source, a, o) > score(model, source, b, o);
  });
  if (std::ssize(texts) > o.n_best) texts.resize(static_cast<std::size_t>(o.n_best));
}

// All continuations of a text by one word.
void extend(const Model& model, Index source, const Known& text, const BeamSearchOptions& o,
            std::vector<Known>& out) {
  const Numbers log_p = log_softmax(model.scores(source, text.words));
  for (Index word = 0; word < std::ssize(log_p); ++word) {
    if (std::count(o.forbidden.begin(), o.forbidden.end(), word) > 0) continue;
    Known next = text;
    next.words.push_back(word);
    next.log_p += log_p[static_cast<std::size_t>(word)];
    next.finished = word == o.end;
    out.push_back(next);
  }
}

// Every text there is.
std::vector<Known> enumerate(const Model& model, Index source, const BeamSearchOptions& o) {
  std::vector<Known> going{{{o.begin}}}, out;
  for (Index t = 0; t < o.longest[0]; ++t) {
    std::vector<Known> next;
    for (const Known& text : going) extend(model, source, text, o, next);
    going.clear();
    for (const Known& text : next) (text.finished ? out : going).push_back(text);
  }
  out.insert(out.end(), going.begin(), going.end());
  sort_best(out, model, source, o);
  return out;
}

// Beam search of one source that never stops early but at `beam` finished texts.
std::vector<Known> reference(const Model& model, Index source, Index longest,
                             const BeamSearchOptions& o) {
  std::vector<Known> going{{{o.begin}}}, out;
  for (Index t = 0; t < longest && std::ssize(out) < o.beam; ++t) {
    std::vector<Known> next;
    for (const Known& text : going) extend(model, source, text, o, next);
    std::stable_sort(next.begin(), next.end(),
                     [](const Known& a, const Known& b) { return a.log_p > b.log_p; });
    going.clear();
    for (Index i = 0; i < std::ssize(next); ++i) {
      const Known& text = next[static_cast<std::size_t>(i)];
      if (text.finished && i < o.beam) out.push_back(text);
      if (!text.finished && std::ssize(going) < o.beam) going.push_back(text);
    }
  }
  if (std::ssize(out) < o.beam) out.insert(out.end(), going.begin(), going.end());
  sort_best(out, model, source, o);
  return out;
}

void expect_same(const std::vector<Hypothesis>& found, const std::vector<Known>& known,
                 const Model& model, Index source, const BeamSearchOptions& o) {
  ASSERT_EQ(found.size(), known.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Hypothesis& h = found[i];
    Words words = known[i].words;
    if (known[i].finished) words.pop_back();
    words.erase(words.begin());
    EXPECT_EQ(h.words, words) << "source " << source << ", the best but " << i;
    EXPECT_EQ(h.finished, known[i].finished);
    EXPECT_NEAR(h.log_probability, known[i].log_p, 1e-12);
    EXPECT_NEAR(h.score, score(model, source, known[i], o), 1e-12);
    if (!o.need_weights) {
      EXPECT_FALSE(h.weights.defined());
      continue;
    }
    Numbers weights;
    Words prefix;
    for (const Index word : known[i].words) {
      if (!prefix.empty()) {
        for (const double w : model.weights(source, prefix)) weights.push_back(w);
      }
      prefix.push_back(word);
    }
    EXPECT_EQ(h.weights.size(0), std::ssize(h.words) + h.finished);
    EXPECT_EQ(h.weights.to_vector<double>(), weights);
  }
}

TEST(BeamSearch, FindsTheBestOfAllTextsWithALargeBeam) {
  const Model model = random_model(5, 3);
  for (const double length_penalty : {0.0, 0.7, 2.0}) {
    for (const double coverage_penalty : {0.0, 0.4}) {
      for (Index longest = 1; longest <= 4; ++longest) {
        const BeamSearchOptions o{.begin = 2,
                                  .end = 3,
                                  .beam = 500,
                                  .longest = {longest},
                                  .length_penalty = length_penalty,
                                  .coverage_penalty = coverage_penalty,
                                  .n_best = 3};
        for (Index source = 0; source < 11; ++source) {
          Prefixes decoding(model, {source});
          expect_same(beam_search(decoding, 1, o)[0], enumerate(model, source, o), model, source,
                      o);
        }
      }
    }
  }
}

TEST(BeamSearch, IsThePlainSearchOfEachSource) {
  const Words sources = {4, 0, 7, 3, 12, 1, 9};
  const Words longest = {11, 5, 13, 7, 3, 1, 17};
  Index within[2] = {}, written = 0;
  for (const Index words : {Index{5}, Index{7}, Index{521}}) {
    const Model model = random_model(words, 5, words > 100 ? 9 : 3);
    for (const Index beam : {1, 2, 3, 5, 11}) {
      for (const double penalty : {0.0, 0.3, 1.1}) {
        const BeamSearchOptions o{.begin = 2,
                                  .end = 3,
                                  .beam = beam,
                                  .longest = longest,
                                  .length_penalty = penalty,
                                  .coverage_penalty = penalty / 2,
                                  .n_best = (beam + 1) / 2,
                                  .forbidden = {0, 2},
                                  .need_weights = true};
        Prefixes decoding(model, sources);
        const auto found = beam_search(decoding, 7, o);
        ASSERT_EQ(found.size(), 7U);
        for (std::size_t i = 0; i < 7; ++i) {
          SCOPED_TRACE(testing::Message() << words << " words, beam " << beam << ", " << penalty);
          expect_same(found[i], reference(model, sources[i], longest[i], o), model, sources[i], o);
        }
        within[beam > 1] += decoding.within;
        for (const auto& hypotheses : found) written += std::ssize(hypotheses[0].words);
      }
    }
  }
  EXPECT_EQ(within[0], 0) << "a row a source goes nowhere";
  EXPECT_GT(within[1], 20);
  EXPECT_GT(written, 800);
}

TEST(BeamSearch, OfABatchIsThatOfEachAlone) {
  const Model model = random_model(307, 5, 11);
  const Words sources = {6, 2, 13, 4, 9};
  BeamSearchOptions o{.begin = 2, .end = 3, .beam = 3, .n_best = 2, .need_weights = true};
  o.length_penalty = 0.6;
  Prefixes together(model, sources, DType::f32);
  const auto found = beam_search(together, 5, o);
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Prefixes one(model, {sources[i]}, DType::f32);
    const auto alone = beam_search(one, 1, o)[0];
    ASSERT_EQ(found[i].size(), alone.size());
    for (std::size_t n = 0; n < alone.size(); ++n) {
      EXPECT_EQ(found[i][n].words, alone[n].words);
      EXPECT_EQ(found[i][n].log_probability, alone[n].log_probability);
      EXPECT_EQ(found[i][n].score, alone[n].score);
      EXPECT_EQ(found[i][n].weights.to_vector<float>(), alone[n].weights.to_vector<float>());
    }
    lengths.push_back(alone[0].words.size());
  }
  EXPECT_NE(lengths.front(), lengths.back());
}

TEST(BeamSearch, HasTheSameBitsForAnyNumberOfThreads) {
  const Model model = random_model(1009, 0, 9);
  const BeamSearchOptions o{.begin = 2, .end = 3, .beam = 5, .longest = Words(13, 7), .n_best = 5};
  const int before = num_threads();
  std::vector<std::vector<Hypothesis>> found[2];
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    Prefixes decoding(model, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, DType::f32);
    found[threads == 3] = beam_search(decoding, 13, o);
  }
  set_num_threads(before);
  for (std::size_t i = 0; i < 13; ++i) {
    ASSERT_EQ(found[0][i].size(), found[1][i].size());
    for (std::size_t n = 0; n < found[0][i].size(); ++n) {
      EXPECT_EQ(found[0][i][n].words, found[1][i][n].words);
      EXPECT_EQ(found[0][i][n].log_probability, found[1][i][n].log_probability);
    }
  }
}

TEST(BeamSearch, OfMoreWordsThanAPieceOfWorkHolds) {
  const Model model = random_model(4099, 0, 11);
  const BeamSearchOptions o{.begin = 2, .end = 3, .beam = 2, .longest = {5}, .n_best = 2};
  Prefixes decoding(model, {4});
  expect_same(beam_search(decoding, 1, o)[0], reference(model, 4, 5, o), model, 4, o);
}

TEST(BeamSearch, OfABeamOfOneTakesTheLikeliestWordAndDoesNoMore) {
  const Model model = random_model(211, 0, 5);
  Prefixes decoding(model, {8, 8, 8}, DType::f32);
  const auto found = beam_search(decoding, 3, {.begin = 2, .end = 3, .beam = 1});
  EXPECT_EQ(decoding.reorders, 0) << "all end at once";
  Words words{2};
  double log_p = 0;
  while (words.size() == 1 || words.back() != 3) {
    const Numbers p = log_softmax(model.scores(8, words));
    words.push_back(std::max_element(p.begin(), p.end()) - p.begin());
    log_p += p[static_cast<std::size_t>(words.back())];
  }
  ASSERT_GT(words.size(), 3U);
  EXPECT_EQ(decoding.steps, std::ssize(words) - 1);
  for (const auto& hypotheses : found) {
    ASSERT_THAT(hypotheses, SizeIs(1));
    EXPECT_EQ(hypotheses[0].words, Words(words.begin() + 1, words.end() - 1));
    EXPECT_TRUE(hypotheses[0].finished);
    EXPECT_NEAR(hypotheses[0].log_probability, log_p, 1e-5);
    EXPECT_EQ(hypotheses[0].score, hypotheses[0].log_probability);
  }
}

TEST(BeamSearch, TakesTheLowerRowAndTheLowerWordOfEquals) {
  Prefixes decoding(constant_model({1, 1, 1, -9, 1}), {0});
  const auto found =
      beam_search(decoding, 1, {.begin = 0, .end = 3, .beam = 3, .longest = {2}, .n_best = 3})[0];
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_THAT(found[0].words, ElementsAre(0, 0));
  EXPECT_THAT(found[1].words, ElementsAre(0, 1));
  EXPECT_THAT(found[2].words, ElementsAre(0, 2));
  EXPECT_FALSE(found[0].finished);

  Prefixes later(constant_model({1, 1, 5, -9, 1}), {0});
  const auto two =
      beam_search(later, 1, {.begin = 0, .end = 3, .beam = 2, .longest = {1}, .n_best = 2})[0];
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_THAT(two[0].words, ElementsAre(2));
  EXPECT_THAT(two[1].words, ElementsAre(0));
}

TEST(BeamSearch, LeavesARowBehindThatHasNoGoodWord) {
  Model model;
  model.scores = [](Index, const Words& prefix) {
    if (prefix.size() == 1) return Numbers{-9, 1.2, 1, -9, -9};
    return prefix[1] == 1 ? Numbers{0, 0, 0, 0, 0} : Numbers{-9, 9, 8.9, -9, -9};
  };
  Prefixes decoding(model, {0});
  const auto found =
      beam_search(decoding, 1, {.begin = 0, .end = 3, .beam = 2, .longest = {3}, .n_best = 2})[0];
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].words, ElementsAre(2, 1, 1)) << "rows 1 and 1, then 0 and 1 or 0 and 0";
  EXPECT_NEAR(found[0].log_probability,
              log_softmax({-9, 1.2, 1, -9, -9})[2] + 2 * log_softmax({-9, 9, 8.9, -9, -9})[1],
              1e-12);
}

TEST(BeamSearch, ScoresByTheFormula) {
  // The end comes for sure after the word 1; its weights are (1/2, 1/4, 1/4, 0), (1/8, 7/8, 0, 0).
  Model model;
  model.scores = [](Index, const Words& prefix) {
    return prefix.size() == 1 ? Numbers{-kInfinity, std::log(0.75), std::log(0.25)}
                              : Numbers{-kInfinity, -kInfinity, 5};
  };
  model.weights = [](Index, const Words& prefix) {
    return prefix.size() == 1 ? Numbers{0.5, 0.25, 0.25, 0} : Numbers{0.125, 0.875, 0, 0};
  };
  Prefixes decoding(model, {0});
  const auto found = beam_search(decoding, 1,
                                 {.begin = 0,
                                  .end = 2,
                                  .beam = 2,
                                  .length_penalty = 0.8,
                                  .coverage_penalty = 0.2,
                                  .n_best = 2})[0];
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].words, ElementsAre(1));
  EXPECT_THAT(found[1].words, IsEmpty());
  const double covered = std::log(0.625) + std::log(0.25);
  EXPECT_NEAR(found[0].score, std::log(0.75) / std::pow(7.0 / 6, 0.8) + 0.2 * covered, 1e-12);
  EXPECT_NEAR(found[1].score, std::log(0.25) + 0.2 * std::log(0.5 / 16), 1e-12);
  EXPECT_NEAR(found[0].log_probability, std::log(0.75), 1e-12);
  EXPECT_FALSE(found[0].weights.defined()) << "not asked for";
}

TEST(BeamSearch, PutsCutTextsBehindFinishedOnes) {
  Prefixes decoding(constant_model({0, 0, 4, 1}), {0, 1});
  const BeamSearchOptions o{.begin = 0, .end = 3, .beam = 3, .longest = {2, 3}, .n_best = 3};
  const auto found = beam_search(decoding, 2, o);
  ASSERT_THAT(found[0], SizeIs(3));
  EXPECT_THAT(found[0][0].words, IsEmpty());
  EXPECT_THAT(found[0][1].words, ElementsAre(2));
  EXPECT_THAT(found[0][2].words, ElementsAre(2, 2));
  EXPECT_TRUE(found[0][1].finished);
  EXPECT_FALSE(found[0][2].finished);
  EXPECT_GT(found[0][2].score, found[0][0].score);
  EXPECT_THAT(found[1][2].words, ElementsAre(2, 2));
  EXPECT_TRUE(found[1][2].finished);
}

TEST(BeamSearch, WritesAHundredWordsWhereNothingIsSaid) {
  Prefixes decoding(constant_model({0, 1, 5}), {0});
  const auto found =
      beam_search(decoding, 1, {.begin = 0, .end = 2, .beam = 1, .forbidden = {2, 1}});
  EXPECT_EQ(found[0][0].words, Words(100, 0));
  EXPECT_FALSE(found[0][0].finished);
  EXPECT_EQ(decoding.steps, 100);
}

TEST(BeamSearch, StopsWhereNothingBetterCanCome) {
  // The end is likelier than all else together, so nothing can pass the first text; three finished
  // ones would take three steps.
  Prefixes decoding(constant_model({0, 0, 2}), {0, 1});
  const auto found = beam_search(decoding, 2, {.begin = 0, .end = 2, .beam = 3});
  EXPECT_THAT(found[1][0].words, IsEmpty());
  EXPECT_EQ(decoding.steps, 1);
  EXPECT_EQ(decoding.reorders, 0);
}

TEST(BeamSearch, OfADecoderWithoutWeightsGivesNone) {
  Prefixes decoding(constant_model({0, 1, 2}), {0, 1});
  BeamSearchOptions o{.begin = 0, .end = 2, .beam = 2, .n_best = 2};
  o.need_weights = true;
  EXPECT_FALSE(beam_search(decoding, 2, o)[1][1].weights.defined());
  Prefixes idle(constant_model({0, 1, 2}), {});
  EXPECT_THAT(beam_search(idle, 0, o), IsEmpty());
  EXPECT_EQ(idle.steps, 0);
}

}  // namespace
}  // namespace heed
