#include <gtest/gtest.h>

#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"
#include "prefix_decoding.h"

namespace heed {
namespace {

using nn::BeamSearchOptions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(BeamSearchErrors, OfOptionsThatMakeNoSense) {
  const auto refused = [](const BeamSearchOptions& o, const Numbers& scores = {0, 1, 2},
                          Index sources = 2) {
    return message_of<ValueError>([&] {
      Prefixes decoding(constant_model(scores), {0, 1});
      beam_search(decoding, sources, o);
    });
  };
  EXPECT_EQ(refused({.begin = 0, .end = 2, .beam = 0}),
            "beam_search: beam must be positive, not 0");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .beam = 3, .n_best = 4}),
            "beam_search: n_best must be in [1, beam 3], not 4");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .n_best = 0}),
            "beam_search: n_best must be in [1, beam 5], not 0");
  EXPECT_EQ(refused({.begin = 0, .end = 2}, {0, 1, 2}, -1),
            "beam_search: sources must not be negative: -1");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .longest = {7, 7, 7}}),
            "beam_search: longest has 3 entries for 2 sources");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .longest = {7, 0}}),
            "beam_search: longest must be positive, not 0");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .length_penalty = -0.5}),
            "beam_search: length_penalty must be finite and not negative: -0.5");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .coverage_penalty = kNaN}),
            "beam_search: coverage_penalty must be finite and not negative: nan");
  EXPECT_EQ(refused({.begin = -1, .end = 2}), "beam_search: begin must not be negative: -1");
  EXPECT_EQ(refused({.begin = 3, .end = 2}), "beam_search: begin 3 is not among 3 words");
  EXPECT_EQ(refused({.begin = 0, .end = 5}), "beam_search: end 5 is not among 3 words");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .forbidden = {1, 7}}),
            "beam_search: forbidden 7 is not among 3 words");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .coverage_penalty = 0.2}),
            "beam_search: coverage_penalty needs a decoder that gives weights");
  EXPECT_EQ(refused({.begin = 0, .end = 2, .forbidden = {0, 1, 2}}),
            "beam_search: no word that source 0 may write has a finite score at step 0");
}

TEST(BeamSearchErrors, OfScoresThatAreNone) {
  const BeamSearchOptions o{.begin = 0, .end = 2, .beam = 2};
  const auto refused = [&](Index words, Index bad, double value) {
    return message_of<ValueError>([&] {
      Prefixes decoding({[=](Index source, const Words& prefix) {
                          Numbers x(static_cast<std::size_t>(words));
                          if (source == 1 && prefix.size() == 2) {
                            x[static_cast<std::size_t>(bad)] = value;
                          }
                          return x;
                        }},
                        {0, 1}, DType::f32);
      beam_search(decoding, 2, o);
    });
  };
  for (const Index bad : {0, 64, 130}) {
    EXPECT_EQ(refused(131, bad, kNaN),
              "beam_search: scores must be below infinity, at least one finite: the greatest of "
              "row 2 at step 1 is nan");
    EXPECT_EQ(refused(131, bad, kInfinity),
              "beam_search: scores must be below infinity, at least one finite: the greatest of "
              "row 2 at step 1 is inf");
  }
  EXPECT_TRUE(throws<ValueError>(
      "beam_search: scores must be below infinity, at least one finite: the greatest of row 0 at "
      "step 0 is -inf",
      [&] {
        Prefixes decoding(constant_model({-kInfinity, -kInfinity, -kInfinity}), {0});
        beam_search(decoding, 1, o);
      }));
}

// A decoder that gives what it is told.
class Wrong : public nn::Decoding {
 public:
  Tensor scores, looks;
  Tensor step(const Tensor&, Tensor* weights) override {
    if (weights) *weights = looks;
    return scores;
  }
  void reorder(const Tensor&, bool) override {}
};

TEST(BeamSearchErrors, OfBlocksOfTheWrongShape) {
  const auto refused = [](const Tensor& scores, const Tensor& looks) {
    Wrong decoding;
    decoding.scores = scores;
    decoding.looks = looks;
    const BeamSearchOptions o{.begin = 0, .end = 2, .beam = 2, .need_weights = true};
    return message_of<ShapeError>([&] { beam_search(decoding, 3, o); });
  };
  EXPECT_EQ(refused(zeros({2, 5}), {}), "beam_search: scores must be [3, any], not f32[2, 5]");
  EXPECT_EQ(refused(zeros({3}), {}), "beam_search: scores must be [3, any], not f32[3]");
  EXPECT_EQ(refused({}, {}), "beam_search: scores must be [3, any], not undefined");
  EXPECT_EQ(refused(zeros({3, 5}), zeros({3, 1, 7})),
            "beam_search: weights must be [3, any], not f32[3, 1, 7]");
  EXPECT_EQ(refused(zeros({3, 5}), zeros({3, 7})),
            "beam_search: scores must be [6, 5], not f32[3, 5]");
  Wrong decoding;
  decoding.scores = Array::zeros({3, 5}, DType::i64);
  EXPECT_ERROR(DTypeError, "beam_search: scores must be f32 or f64, not i64[3, 5]",
               beam_search(decoding, 3, {.begin = 0, .end = 2}));
}

// Gives one block of weights at first, another later.
class Turning : public nn::Decoding {
 public:
  Tensor first, later;
  bool asked = false;
  Tensor step(const Tensor& words, Tensor* weights) override {
    asked = weights != nullptr;
    if (weights) *weights = first;
    first = later;
    return zeros({words.size(0), 3});
  }
  void reorder(const Tensor&, bool) override {}
};

TEST(BeamSearchErrors, OfWeightsThatChange) {
  const BeamSearchOptions o{.begin = 0, .end = 2, .beam = 1, .forbidden = {2}};
  BeamSearchOptions asks = o;
  asks.need_weights = true;
  Turning decoding;
  decoding.first = zeros({1, 7});
  decoding.later = zeros({1, 7}, DType::f64);
  EXPECT_ERROR(DTypeError, "beam_search: weights change their dtype",
               beam_search(decoding, 1, asks));
  decoding.first = zeros({1, 7});
  decoding.later = zeros({1, 5});
  EXPECT_ERROR(ShapeError, "beam_search: weights must be [1, 7], not f32[1, 5]",
               beam_search(decoding, 1, asks));
  decoding.first = zeros({1, 0});
  EXPECT_ERROR(ShapeError, "beam_search: weights must be [1, 0], not f32[1, 5]",
               beam_search(decoding, 1, asks));
  decoding.first = zeros({1, 5});
  decoding.later = Tensor();
  EXPECT_ERROR(ShapeError, "beam_search: weights must be [1, 5], not undefined",
               beam_search(decoding, 1, asks));
  EXPECT_TRUE(decoding.asked);
  beam_search(decoding, 1, o);  // nobody asks
  EXPECT_FALSE(decoding.asked);
}

}  // namespace
}  // namespace heed
