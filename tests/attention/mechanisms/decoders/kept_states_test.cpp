// A step that throws leaves the state as it was: the next one gives what it would have given.
#include <gtest/gtest.h>

#include <memory>

#include "../../../../attention/mechanisms/decoders/location_aware_decoder.h"
#include "../../../../attention/mechanisms/decoders/luong_decoder.h"
#include "../../../../attention/mechanisms/decoders/pointer_generator.h"
#include "../../../../attention/mechanisms/transformer/differential_heads.h"
#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 7, kE = 6, kDk = 5;

class KeptStates : public SeededTest<31> {
 protected:
  Tensor words = randn({kB, kT, kE}, DType::f64), word = randn({kB, kE}, DType::f64);
  Tensor source = randn({kB, kK, kDk}, DType::f64);

  template <class D>
  void expect_kept(const D& decoder, const typename D::State& begin) {
    const NoGrad off;
    typename D::State tried = begin, other = begin;
    const auto both = [&] {
      EXPECT_EQ(numbers(decoder.step(word, tried).output),
                numbers(decoder.step(word, other).output));
    };
    both();
    const Terms wrong{.bias = zeros({2}, DType::f64)};
    EXPECT_THROW(decoder.step(word, tried, wrong), ShapeError);
    both();
    EXPECT_THROW(decoder.run(words, tried, wrong), ShapeError);
    both();
    EXPECT_EQ(numbers(decoder.run(words, tried).output), numbers(decoder.run(words, other).output));
    both();
  }
};

TEST_F(KeptStates, OfLuongsDecoder) {
  for (const bool feeding : {false, true}) {
    const LuongDecoder made({.word_width = kE,
                             .source_width = kDk,
                             .state_width = kDk,
                             .layers = 2,
                             .input_feeding = feeding,
                             .dtype = DType::f64});
    expect_kept(made, made.start(source));
  }
}

TEST_F(KeptStates, OfTheLocationAwareDecoder) {
  const LocationAwareDecoder made({.word_width = kE,
                                   .annotation_width = kDk,
                                   .state_width = 4,
                                   .filters = 2,
                                   .kernel = 3,
                                   .dtype = DType::f64});
  expect_kept(made, made.start(source));
}

TEST_F(KeptStates, OfThePointerGenerator) {
  const PointerGenerator made({.word_width = kE,
                               .annotation_width = kDk,
                               .state_width = 4,
                               .vocabulary = 11,
                               .dtype = DType::f64});
  expect_kept(made, made.start(source, indices(std::vector<Index>(kB * kK, 3), {kB, kK})));
}

TEST_F(KeptStates, OfTheTransformersDecoder) {
  const TransformerDecoder made(
      2, {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64});
  const Tensor memory = randn({kB, kK, kE}, DType::f64);
  const NoGrad off;
  expect_kept(made, made.start(memory));
  TransformerDecoder::State state = made.start(memory);
  EXPECT_ERROR(ShapeError, "transformer_decoder: 5 rows of words and 2 of the source",
               made.step(zeros({5, kE}, DType::f64), state));
  EXPECT_EQ(state.past[0].seen(), 0);
  state.memory.pop_back();
  EXPECT_ERROR(ValueError, "transformer_decoder: the state has 1 layers, the decoder 2",
               made.step(word, state));
}

// Self-attention has gone on by then.
TEST_F(KeptStates, OfTheTransformersDecoderWhereTheLookAtTheSourceThrows) {
  const TransformerDecoder made(
      2, {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64});
  const NoGrad off;
  TransformerDecoder::State tried = made.start(randn({kB, kK, kE}, DType::f64)), other = tried;
  const SoftmaxPlusOne plus_one;
  Terms both;
  both.normaliser = &plus_one;
  both.sinks = zeros({1}, DType::f64);
  for (Index t = 0; t < 3; ++t) {
    EXPECT_THROW(made.step(word, tried, both), ValueError);
    EXPECT_EQ(tried.past[0].seen(), t);
    EXPECT_EQ(numbers(made.step(word, tried).output), numbers(made.step(word, other).output));
  }
}

// The second layer refuses what the first takes.
TEST_F(KeptStates, OfTheTransformersEncoder) {
  TransformerOptions options{
      .width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64};
  options.self_attention = [](Index layer) -> std::shared_ptr<SelfAttention> {
    if (layer == 0) {
      return std::make_shared<MultiHead>(
          MultiHeadOptions{.width = kE, .heads = 3, .dtype = DType::f64});
    }
    return std::make_shared<DifferentialHeads>(
        DifferentialHeadsOptions{.width = kE, .heads = 3, .dtype = DType::f64});
  };
  const TransformerEncoder made(2, options);
  const NoGrad off;
  TransformerEncoder::State tried, other;
  for (Index t = 0; t < 3; ++t) {
    EXPECT_THROW(made.step(words, tried, {.need_log_sums = true}), ValueError);
    EXPECT_EQ(tried.length(), t * kT);
    EXPECT_EQ(numbers(made.step(words, tried).output), numbers(made.step(words, other).output));
  }
}

// Copies of a state write texts of their own.
TEST_F(KeptStates, CopiesOfATransformersStateGoTheirOwnWay) {
  const TransformerDecoder made(
      2, {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64});
  const NoGrad off;
  TransformerDecoder::State one = made.start(randn({kB, kK, kE}, DType::f64));
  TransformerDecoder::State alone = one;
  const Tensor first = randn({kB, kE}, DType::f64), mine = randn({kB, kE}, DType::f64),
               theirs = randn({kB, kE}, DType::f64);
  for (TransformerDecoder::State* state : {&one, &alone}) made.step(first, *state);
  TransformerDecoder::State two = one;
  for (int t = 0; t < 3; ++t) {
    const Tensor now = made.step(mine, one).output;
    made.step(theirs, two);
    EXPECT_EQ(numbers(now), numbers(made.step(mine, alone).output)) << t;
  }
}

// One length for all rows holds for the rows of a beam, too.
TEST_F(KeptStates, OneLengthForAllGoesOnWithTheRowsOfABeam) {
  const TransformerDecoder made(
      1, {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64});
  const NoGrad off;
  const Tensor memory = randn({3, kK, kE}, DType::f64), three = randn({3, kE}, DType::f64);
  const auto after = [&](const Mask& mask) {
    TransformerDecoder::State state = made.start(memory, mask);
    made.step(three, state);
    state.reorder(indices({2, 0, 2}, {3}));
    return numbers(made.step(three, state).output);
  };
  const Numbers wanted = after(Mask::lengths({4, 4, 4}, kK));
  EXPECT_EQ(after(Mask::lengths({4}, kK)), wanted);
  const Tensor real = Mask::lengths({4}, kK).tensor({1, kK});
  EXPECT_THAT(after(Mask::key_padding(real)), near(wanted));
}

// A decoder that looks at nothing.
struct Blind {
  struct State {
    void reorder(const Tensor&, bool) {}
  };
  StackOutput step(const Tensor& word, State&, const Terms&) const { return {word}; }
  StackOutput run(const Tensor& words, State&, const Terms&, const std::vector<Index>&) const {
    return {words};
  }
};

TEST(Writing, ADecoderMayHaveNoWeights) {
  const Blind decoder;
  Writing<Blind> writing(decoder, {},
                         {.embed = [](const Tensor& ids, Index) { return ids; },
                          .logits = [](const Tensor& output) { return output; }});
  Tensor weights;
  EXPECT_EQ(writing.step(indices({3, 5}, {2}), &weights).numel(), 2);
  EXPECT_FALSE(weights.defined());
}

}  // namespace
}  // namespace heed::attention
