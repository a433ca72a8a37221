// What masks, scores, biases and mechanisms refuse, each in its own name.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../attention/detail/decoder_checks.h"
#include "../../attention/detail/hard_choice.h"
#include "../../core/error.h"
#include "../nn/thrown_text.h"

namespace heed::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Refusal {
  std::function<void()> call;
  std::string text;
};

template <class Thrown>
void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(thrown_text<Thrown>(refusal.call), refusal.text);
  }
}

TEST(BadOptions, OfMasks) {
  expect_refused<ValueError>({{[] { Mask::block(0); }, "mask: block: size 0 must be positive"},
                              {[] { Mask::block(-3); }, "mask: block: size -3 must be positive"}});
  expect_refused<ShapeError>({
      {[] { Mask::lengths({}, -1); }, "mask: lengths: steps -1 must not be negative"},
      {[] {
         Mask::lengths({3, 5}, 5) & Mask::lengths({3}, 5);
       },
       "mask: lengths of [2, 5] and of [1, 5] do not combine"},
      {[] {
         Mask::lengths({3, 5}, 5) & Mask::lengths({3, 5}, 7);
       },
       "mask: lengths of [2, 5] and of [2, 7] do not combine"},
  });
  const Mask two = Mask::lengths({3, 5}, 5);
  const auto rows = [](std::int64_t row) {
    return Tensor(Array::from(std::vector<std::int64_t>{row}));
  };
  expect_refused<IndexError>({
      {[&] { two.select_rows(rows(2)); }, "mask: select_rows: row 2 is out of range [0, 2)"},
      {[&] { two.select_rows(rows(-1)); }, "mask: select_rows: row -1 is out of range [0, 2)"},
  });
}

TEST(BadOptions, OfScoresAndBiases) {
  expect_refused<ValueError>({
      {[] { ScaledDot{kInfinity}; }, "scaled_dot: scale inf is not finite"},
      {[] { LocationBased(0, 5); },
       "location_based: query width 0 and max_keys 5 must be positive"},
      {[] { LocationBased(3, 0); },
       "location_based: query width 3 and max_keys 0 must be positive"},
      {[] { T5Bias({.heads = 3, .buckets = 3}); },
       "t5: 3 buckets for distances up to 128: each side needs 2, and half of them fewer than the "
       "distances"},
      {[] { T5Bias({.heads = 3, .buckets = 8, .max_distance = 4, .bidirectional = false}); },
       "t5: 8 buckets for distances up to 4: each side needs 2, and half of them fewer than the "
       "distances"},
  });
}

TEST(BadOptions, OfMechanisms) {
  const auto synthesizer = [](std::vector<SynthesizerKind> kinds, double dropout) {
    return [=] {
      Synthesizer({.width = 6, .heads = 2, .max_length = 5, .kinds = kinds, .dropout = dropout});
    };
  };
  using enum SynthesizerKind;
  expect_refused<ValueError>({
      {[] { BahdanauDecoder({.word_width = 3, .annotation_width = 5, .state_width = 7}); },
       "bahdanau_decoder: an annotation_width of 5 has no half: give start_width"},
      {synthesizer({}, 0), "synthesizer: kinds: there must be one at least"},
      {synthesizer({random, dense, random}, 0),
       std::string("synthesizer: kinds: ") + name(random) + " is there twice"},
      {synthesizer({dense}, 1.5), "synthesizer: dropout 1.5 is not in [0, 1]"},
      {synthesizer({dense}, -0.5), "synthesizer: dropout -0.5 is not in [0, 1]"},
  });
}

TEST(BadOptions, OfCalls) {
  const Synthesizer synthesizer({.width = 6, .heads = 2, .max_length = 5});
  const Local local({.half_width = 2});
  const MultiHead rotary({.width = 8, .heads = 2, .rotary = true});
  const auto memory = [&] { return rotary.project(randn({2, 5, 8}), randn({2, 5, 8})); };
  expect_refused<ShapeError>({
      {[&] {
         synthesizer(randn({2, 7, 6}));
       },
       "synthesizer: x must be [B, T, 6] with T <= 5, not f32[2, 7, 6]"},
      {[&] {
         synthesizer(randn({2, 3, 7}));
       },
       "synthesizer: x must be [B, T, 6] with T <= 5, not f32[2, 3, 7]"},
      {[&] {
         local(randn({2, 3, 7}), randn({2, 5, 7}), randn({2, 5, 11}), {},
               {.positions = zeros({2, 5})});
       },
       "local: positions must be f32[2, 3], not f32[2, 5]"},
      {[] {
         grouped_rows(randn({2, 3, 5}), {2});
       },
       "hierarchical: rows must be [n, E], not f32[2, 3, 5]"},
      {[] {
         checked_words("a decoder", randn({2, 3, 5}), 7, 5, DType::f32, {});
       },
       "a decoder: 2 rows of words and 7 of the source"},
  });
  expect_refused<ValueError>({{[&] {
                                 rotary.attend_to(randn({2, 3, 8}), memory());
                               },
                               "multi_head: attend_to takes a fixed memory: no rotary positions"}});
}

TEST(BadOptions, AChoiceLiesWithinItsSequence) {
  const auto choose = [](std::int64_t place) {
    return [=] {
      chosen_values(
          Choice::hard(Tensor(Array::from(std::vector<std::int64_t>{0, place})), 3, DType::f32),
          randn({2, 3, 5}));
    };
  };
  expect_refused<IndexError>(
      {{choose(3), "a choice: place 3 of 3"}, {choose(-1), "a choice: place -1 of 3"}});
}

}  // namespace
}  // namespace heed::attention
