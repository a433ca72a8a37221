// A search with constraints is a search without, of a model that never says what they forbid.
#include "../../nn/beam_constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "../../core/error.h"
#include "../support/throws.h"
#include "prefix_decoding.h"

namespace heed {
namespace {

using nn::BeamSearchOptions, nn::Hypothesis;
using testing::ElementsAre;

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool ends_with(const Words& text, const Words& end) {
  return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin());
}

// Whether some run of n words stands twice.
bool repeats(const Words& text, std::size_t n) {
  std::set<Words> seen;
  for (std::size_t i = 0; i + n <= text.size(); ++i) {
    const auto begin = text.begin() + static_cast<Index>(i);
    if (!seen.insert(Words(begin, begin + static_cast<Index>(n))).second) return true;
  }
  return false;
}

Model constrained(const Model& model, const BeamSearchOptions& o) {
  Model out = model;
  out.scores = [=](Index source, const Words& marked) {
    Numbers x = model.scores(source, marked);
    const Words text(marked.begin() + 1, marked.end());
    const Words prefix =
        o.prefixes.empty() ? Words() : o.prefixes[static_cast<std::size_t>(source)];
    for (Index word = 0; word < std::ssize(x); ++word) {
      double& score = x[static_cast<std::size_t>(word)];
      if (text.size() < prefix.size()) {
        score = word == prefix[text.size()] ? 0 : kNever;
        continue;
      }
      Words next = text;
      next.push_back(word);
      if (std::count(text.begin(), text.end(), word) > 0) {
        score *= score > 0 ? 1 / o.repetition_penalty : o.repetition_penalty;
      }
      for (const Words& run : o.suppressed) {
        if (ends_with(next, run)) score = kNever;
      }
      const auto n = static_cast<std::size_t>(o.no_repeat);
      if (n > 0 && repeats(next, n) && word != o.end) score = kNever;
      if (word == o.end && std::ssize(text) < o.shortest) score = kNever;
    }
    return x;
  };
  return out;
}

TEST(BeamConstraints, AreThoseOfAModelThatNeverSaysWhatTheyForbid) {
  const Model model = random_model(11, 3);
  const BeamSearchOptions plain{.begin = 2, .end = 3, .longest = Words(5, 9), .forbidden = {0}};
  std::vector<BeamSearchOptions> all(7, plain);
  all[0].prefixes = {{}, {4}, {7, 7, 1}, {5, 6}, {}};
  all[1].suppressed = {{5}, {4, 7}, {1, 9, 1}, {6, 6}};
  all[2].shortest = 5;
  all[3].repetition_penalty = 1.7;
  all[4].no_repeat = 1;
  all[5].no_repeat = 2;
  all[6] = all[1];
  all[6].prefixes = {{5, 4}, {4, 7}, {1}, {}, {6, 6, 6}};
  all[6].shortest = 4;
  all[6].repetition_penalty = 0.6;
  all[6].no_repeat = 3;
  Index changed = 0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (const Index beam : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << "case " << c << ", beam " << beam);
      BeamSearchOptions own = all[c], none = plain;
      own.beam = none.beam = beam;
      own.n_best = none.n_best = (beam + 1) / 2;
      Prefixes free(model, {0, 1, 2, 3, 4}), decoding(model, {0, 1, 2, 3, 4}),
          other(constrained(model, own), {0, 1, 2, 3, 4});
      const auto unbound = beam_search(free, 5, none), found = beam_search(decoding, 5, own),
                 wanted = beam_search(other, 5, none);
      for (std::size_t source = 0; source < 5; ++source) {
        ASSERT_EQ(found[source].size(), wanted[source].size());
        for (std::size_t i = 0; i < found[source].size(); ++i) {
          EXPECT_EQ(found[source][i].words, wanted[source][i].words);
          EXPECT_NEAR(found[source][i].log_probability, wanted[source][i].log_probability, 1e-12);
        }
        changed += found[source][0].words != unbound[source][0].words ? 1 : 0;
      }
    }
  }
  EXPECT_GT(changed, 50);
}

// Of three words and two marks the second source may use none twice, and is never let end.
TEST(BeamConstraints, ARowWithoutAWordEndsNoOther) {
  Model model = constant_model({0, -9, 2, 1, 0.5});
  model.scores = [](Index source, const Words&) {
    return source == 0 ? Numbers{-9, 3, 2, 1, 0.5} : Numbers{-9, kNever, 2, 1, 0.5};
  };
  const auto search = [&](BeamSearchOptions options, Index beam) {
    options.beam = options.n_best = beam;
    Prefixes decoding(model, {0, 1});
    return beam_search(decoding, 2, options);
  };
  const BeamSearchOptions options{
      .begin = 0, .end = 1, .longest = {7, 7}, .forbidden = {0}, .no_repeat = 1};
  const auto found = search(options, 1);
  EXPECT_TRUE(found[0][0].finished);
  ASSERT_EQ(found[1].size(), 1);
  EXPECT_THAT(found[1][0].words, ElementsAre(2, 3, 4));
  EXPECT_FALSE(found[1][0].finished);
  const auto share = [](double x, const Numbers& others) {
    double sum = 0;
    for (const double y : others) sum += std::exp(y - x);
    return -std::log(sum);
  };
  EXPECT_NEAR(found[1][0].log_probability,
              share(2, {-9, 2, 1, 0.5}) + share(1, {-9, 1, 0.5}) + share(0.5, {-9, 0.5}), 1e-12);
  EXPECT_THAT(search(options, 2)[1][0].words, ElementsAre(2, 3, 4));
  // Behind 2 nothing may come, which is no matter to the row behind 3.
  BeamSearchOptions run = options;
  run.no_repeat = 0;
  run.suppressed = {{2, 0}, {2, 2}, {2, 3}, {2, 4}};
  run.longest = {3, 3};
  const auto left = search(run, 2);
  for (const Hypothesis& text : left[1]) {
    EXPECT_EQ(text.words.size(), 3);
    EXPECT_THAT(text.words, testing::Each(testing::AnyOf(2, 3, 4)));
  }
}

TEST(BeamConstraints, DoNotHideWhatIsNoNumber) {
  Model model = constant_model({std::numeric_limits<double>::quiet_NaN(), 1, 2});
  for (const DType dtype : {DType::f32, DType::f64}) {
    Prefixes decoding(model, {0}, dtype);
    EXPECT_ERROR_WITH(ValueError, "the greatest of row 0 at step 0 is nan",
                      beam_search(decoding, 1, {.begin = 0, .end = 1, .suppressed = {{0}}}));
  }
}

// Of many rows, looked at by several threads, the first with a NaN is named.
TEST(BeamConstraints, LookAtAllRowsBefore) {
  Model model;
  model.scores = [](Index source, const Words&) {
    Numbers x(4099, 0.5);
    if (source == 17 || source == 41) x[4098] = std::numeric_limits<double>::quiet_NaN();
    return x;
  };
  Words sources;
  for (Index source = 0; source < 53; ++source) sources.push_back(source);
  for (const DType dtype : {DType::f32, DType::f64}) {
    Prefixes decoding(model, sources, dtype);
    EXPECT_ERROR_WITH(ValueError, "the greatest of row 17 at step 0 is nan",
                      beam_search(decoding, 53, {.begin = 0, .end = 1, .suppressed = {{4098}}}));
  }
}

// What the model itself makes impossible is an error with constraints, too.
TEST(BeamConstraints, AreNotToBlameForWhatTheModelForbids) {
  const auto search = [](const Model& model, const BeamSearchOptions& options) {
    Prefixes decoding(model, {0});
    return beam_search(decoding, 1, options);
  };
  const BeamSearchOptions options{.begin = 0, .end = 1, .longest = {7}, .no_repeat = 2};
  BeamSearchOptions none = options;
  none.forbidden = {0, 1, 2, 3, 4};
  EXPECT_ERROR(ValueError,
               "beam_search: no word that source 0 may write has a finite score at step 0",
               search(constant_model({0, 1, 2, 3, 4}), none));
  // Behind the first word only padding.
  Model padding;
  padding.scores = [](Index, const Words& prefix) {
    return prefix.size() == 1 ? Numbers{0, kNever, 2, 1, 0.5}
                              : Numbers{0, kNever, kNever, kNever, kNever};
  };
  BeamSearchOptions forbids = options;
  forbids.forbidden = {0};
  EXPECT_ERROR(ValueError,
               "beam_search: no word that source 0 may write has a finite score at step 1",
               search(padding, forbids));
  // One word that may come, which a constraint takes: the text is cut.
  BeamSearchOptions takes = options;
  takes.suppressed = {{2, 0}, {3, 0}, {4, 0}, {0, 0}};
  EXPECT_THAT(search(padding, takes)[0][0].words, ElementsAre(2));
  // The end mark is one.
  Model ends;
  ends.scores = [](Index, const Words& prefix) {
    return prefix.size() == 1 ? Numbers{0, kNever, 2, 1, 0.5}
                              : Numbers{kNever, 0, kNever, kNever, kNever};
  };
  takes.suppressed = {{2, 1}, {3, 1}, {4, 1}, {0, 1}};
  EXPECT_THAT(search(ends, takes)[0][0].words, ElementsAre(2));
}

TEST(BeamConstraints, APenaltyMayBeBeyondF32) {
  const Model model = constant_model({-2, -1, 0, 1, 0.5});
  for (const double penalty : {1e39, 1e-39}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      Prefixes decoding(model, {0}, dtype);
      const auto found = beam_search(decoding, 1,
                                     {.begin = 1,
                                      .end = 0,
                                      .beam = 2,
                                      .longest = {5},
                                      .shortest = 5,
                                      .repetition_penalty = penalty});
      ASSERT_EQ(found[0][0].words.size(), 5);
      EXPECT_FALSE(std::isnan(found[0][0].log_probability));
      EXPECT_EQ(found[0][0].words[0], 3);
    }
  }
}

TEST(BeamConstraints, RefuseWhatMakesNoSense) {
  const auto search = [](const auto& change) {
    BeamSearchOptions options{.begin = 0, .end = 1};
    change(options);
    Prefixes decoding(random_model(5, 3), {0, 1});
    beam_search(decoding, 2, options);
  };
  EXPECT_ERROR(ValueError, "beam_search: prefixes has 1 entries for 2 sources",
               search([](auto& o) { o.prefixes = {{2}}; }));
  EXPECT_ERROR_WITH(ValueError, "a prefix holds the end mark", search([](auto& o) {
                      o.prefixes = {{2}, {3, 1}};
                    }));
  EXPECT_ERROR_WITH(ValueError, "prefix 5 is not among 5 words", search([](auto& o) {
                      o.prefixes = {{2}, {5}};
                    }));
  EXPECT_ERROR_WITH(ValueError, "suppressed -1 is not among", search([](auto& o) {
                      o.suppressed = {{2, -1}};
                    }));
  EXPECT_ERROR_WITH(ValueError, "a suppressed run has no word",
                    search([](auto& o) { o.suppressed = {{}}; }));
  EXPECT_ERROR_WITH(ValueError, "shortest must not be negative: -1",
                    search([](auto& o) { o.shortest = -1; }));
  EXPECT_ERROR_WITH(ValueError, "no_repeat must not be negative: -2",
                    search([](auto& o) { o.no_repeat = -2; }));
  EXPECT_ERROR_WITH(ValueError, "repetition_penalty must be finite and positive: 0",
                    search([](auto& o) { o.repetition_penalty = 0; }));
  EXPECT_ERROR_WITH(ValueError, "repetition_penalty must be finite and positive: inf",
                    search([](auto& o) { o.repetition_penalty = kNever * -1; }));
  EXPECT_ERROR_WITH(ValueError, "prefix -1 is not among", search([](auto& o) {
                      o.prefixes = {{2}, {-1}};
                    }));
  EXPECT_ERROR_WITH(ValueError, "suppressed 5 is not among 5 words",
                    search([](auto& o) { o.suppressed = {{5}}; }));
  EXPECT_ERROR(ValueError,
               "beam_search: no word that source 0 may write is left by the constraints at step 0",
               search([](auto& o) {
                 o.suppressed = {{0}, {1}, {2}, {3}, {4}};
               }));
}

}  // namespace
}  // namespace heed
