// What masks, scores, biases and mechanisms refuse, each in its own name.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../attention/detail/decoder_checks.h"
#include "../../attention/detail/hard_choice.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BadOptions, OfMasks) {
  EXPECT_ERROR(ValueError, "mask: block: size 0 must be positive", Mask::block(0));
  EXPECT_ERROR(ValueError, "mask: block: size -3 must be positive", Mask::block(-3));
  EXPECT_ERROR(ShapeError, "mask: lengths: steps -1 must not be negative", Mask::lengths({}, -1));
  EXPECT_ERROR(ShapeError, "mask: lengths of [2, 5] and of [1, 5] do not combine",
               Mask::lengths({3, 5}, 5) & Mask::lengths({3}, 5));
  EXPECT_ERROR(ShapeError, "mask: lengths of [2, 5] and of [2, 7] do not combine",
               Mask::lengths({3, 5}, 5) & Mask::lengths({3, 5}, 7));
  const Mask two = Mask::lengths({3, 5}, 5);
  const auto rows = [](std::int64_t row) {
    return Tensor(Array::from(std::vector<std::int64_t>{row}));
  };
  EXPECT_ERROR(IndexError, "mask: select_rows: row 2 is out of range [0, 2)",
               two.select_rows(rows(2)));
  EXPECT_ERROR(IndexError, "mask: select_rows: row -1 is out of range [0, 2)",
               two.select_rows(rows(-1)));
}

TEST(BadOptions, OfScoresAndBiases) {
  EXPECT_ERROR(ValueError, "scaled_dot: scale inf is not finite", ScaledDot{kInfinity});
  EXPECT_ERROR(ValueError, "location_based: query width 0 and max_keys 5 must be positive",
               LocationBased(0, 5));
  EXPECT_ERROR(ValueError, "location_based: query width 3 and max_keys 0 must be positive",
               LocationBased(3, 0));
  EXPECT_ERROR(ValueError,
               "t5: 3 buckets for distances up to 128: each side needs 2, and half of them fewer "
               "than the distances",
               T5Bias({.heads = 3, .buckets = 3}));
  EXPECT_ERROR(ValueError,
               "t5: 8 buckets for distances up to 4: each side needs 2, and half of them fewer "
               "than the distances",
               T5Bias({.heads = 3, .buckets = 8, .max_distance = 4, .bidirectional = false}));
}

TEST(BadOptions, OfMechanisms) {
  const auto synthesizer = [](std::vector<SynthesizerKind> kinds, double dropout) {
    Synthesizer({.width = 6, .heads = 2, .max_length = 5, .kinds = kinds, .dropout = dropout});
  };
  using enum SynthesizerKind;
  EXPECT_ERROR(ValueError,
               "bahdanau_decoder: an annotation_width of 5 has no half: give start_width",
               BahdanauDecoder({.word_width = 3, .annotation_width = 5, .state_width = 7}));
  EXPECT_ERROR(ValueError, "synthesizer: kinds: there must be one at least", synthesizer({}, 0));
  EXPECT_ERROR(ValueError, std::string("synthesizer: kinds: ") + name(random) + " is there twice",
               synthesizer({random, dense, random}, 0));
  EXPECT_ERROR(ValueError, "synthesizer: dropout 1.5 is not in [0, 1]", synthesizer({dense}, 1.5));
  EXPECT_ERROR(ValueError, "synthesizer: dropout -0.5 is not in [0, 1]",
               synthesizer({dense}, -0.5));
}

TEST(BadOptions, OfCalls) {
  const Synthesizer synthesizer({.width = 6, .heads = 2, .max_length = 5});
  const Local local({.half_width = 2});
  const MultiHead rotary({.width = 8, .heads = 2, .rotary = true});
  const auto memory = [&] { return rotary.project(randn({2, 5, 8}), randn({2, 5, 8})); };
  EXPECT_ERROR(ShapeError, "synthesizer: x must be [B, T, 6] with T <= 5, not f32[2, 7, 6]",
               synthesizer(randn({2, 7, 6})));
  EXPECT_ERROR(ShapeError, "synthesizer: x must be [B, T, 6] with T <= 5, not f32[2, 3, 7]",
               synthesizer(randn({2, 3, 7})));
  EXPECT_ERROR(ShapeError, "local: positions must be f32[2, 3], not f32[2, 5]",
               local(randn({2, 3, 7}), randn({2, 5, 7}), randn({2, 5, 11}), {},
                     {.positions = zeros({2, 5})}));
  EXPECT_ERROR(ShapeError, "hierarchical: rows must be [n, E], not f32[2, 3, 5]",
               grouped_rows(randn({2, 3, 5}), {2}));
  EXPECT_ERROR(ShapeError, "a decoder: 2 rows of words and 7 of the source",
               checked_words("a decoder", randn({2, 3, 5}), 7, 5, DType::f32, {}));
  EXPECT_ERROR(ValueError, "multi_head: attend_to takes a fixed memory: no rotary positions",
               rotary.attend_to(randn({2, 3, 8}), memory()));
}

TEST(BadOptions, AChoiceLiesWithinItsSequence) {
  const auto choose = [](std::int64_t place) {
    chosen_values(
        Choice::hard(Tensor(Array::from(std::vector<std::int64_t>{0, place})), 3, DType::f32),
        randn({2, 3, 5}));
  };
  EXPECT_ERROR(IndexError, "a choice: place 3 of 3", choose(3));
  EXPECT_ERROR(IndexError, "a choice: place -1 of 3", choose(-1));
}

}  // namespace
}  // namespace heed::attention
