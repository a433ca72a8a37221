// Normalisers and scores that go on from query to query: decoders whose steps look at the source
// anew refuse them, where they would begin again at each step; others go on.
#include <gtest/gtest.h>

#include <memory>

#include "../../../../attention/mechanisms/decoders/bahdanau_decoder.h"
#include "../../../../attention/mechanisms/decoders/conv_seq2seq.h"
#include "../../../../attention/mechanisms/decoders/luong_decoder.h"
#include "../../../../attention/mechanisms/decoders/pointer_generator.h"
#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../attention/normalisers/monotonic.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 7, kE = 6, kDk = 5;

class GoingOn : public SeededTest<47> {
 protected:
  const Tensor words = randn({kB, kT, kE}, DType::f64), word = randn({kB, kE}, DType::f64);
  const Tensor source = randn({kB, kK, kDk}, DType::f64);
  const Monotonic monotonic;
  const Terms terms{.normaliser = &monotonic};

  template <class D>
  void expect_refused(const D& made, typename D::State state, const std::string& text,
                      const Terms& by) {
    const NoGrad off;
    EXPECT_ERROR(ValueError, text, made.step(word, state, by));
    EXPECT_ERROR(ValueError, text, made.run(words, state, by));
    EXPECT_ERROR(ValueError, text, made.run(narrow(words, 1, 0, 1), state, by));
  }
  static std::string text(const std::string& name, bool normaliser = true) {
    return name + ": takes no " +
           (normaliser ? "normaliser that goes on from query to query" : "score that looks back") +
           ": each step looks anew";
  }
};

TEST_F(GoingOn, IsRefusedByLuongsDecoder) {
  for (const bool feeding : {false, true}) {
    const LuongDecoder made({.word_width = kE,
                             .source_width = kDk,
                             .state_width = kDk,
                             .input_feeding = feeding,
                             .dtype = DType::f64});
    expect_refused(made, made.start(source), text("luong_decoder"), terms);
  }
}

TEST_F(GoingOn, IsRefusedByBahdanausDecoder) {
  const BahdanauDecoder made({.word_width = kE,
                              .annotation_width = kDk,
                              .state_width = 4,
                              .start_width = 2,
                              .dtype = DType::f64});
  expect_refused(made, made.start(source), text("bahdanau_decoder"), terms);
}

TEST_F(GoingOn, IsRefusedByTheConvolutionalDecoder) {
  const ConvDecoder made({.width = kE, .hidden = 4, .kernel = 3, .dtype = DType::f64});
  const Tensor z = randn({kB, kK, kE}, DType::f64);
  expect_refused(made, made.start(MultiStepAttention::memory(z, z)), text("conv_seq2seq"), terms);
  const LocationAware aware({.query_width = kE,
                             .key_width = kE,
                             .hidden = kE,
                             .filters = 2,
                             .kernel = 3,
                             .dtype = DType::f64});
  expect_refused(made, made.start(Memory(aware, z, z)), text("conv_seq2seq", false), {});
}

TEST_F(GoingOn, IsRefusedByTheStepsOfTheTransformersDecoder) {
  TransformerOptions options{
      .width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64};
  const Tensor memory = randn({kB, kK, kE}, DType::f64);
  const TransformerDecoder plain(1, options);
  expect_refused(plain, plain.start(memory), text("transformer_decoder"), terms);
  options.memory_heads = [](MultiHeadOptions heads, Index) {
    heads.normaliser = std::make_shared<Monotonic>();
    return heads;
  };
  const TransformerDecoder by_normaliser(1, options);
  expect_refused(by_normaliser, by_normaliser.start(memory), text("transformer_decoder"), {});
  options.memory_heads = [](MultiHeadOptions heads, Index) {
    heads.score = std::make_shared<LocationAware>(LocationAwareOptions{.query_width = 2,
                                                                       .key_width = 2,
                                                                       .hidden = 3,
                                                                       .filters = 2,
                                                                       .kernel = 3,
                                                                       .dtype = DType::f64});
    return heads;
  };
  const TransformerDecoder by_score(1, options);
  expect_refused(by_score, by_score.start(memory), text("transformer_decoder", false), {});
  // All words at once go on within the call.
  const Tensor whole = plain(words, memory, {.mask = Mask::causal()}, terms).output;
  TransformerDecoder::State state = plain.start(memory);
  EXPECT_THAT(numbers(plain.run(words, state, terms).output), near(whole));
}

// Without coverage it is the one whose coverage weighs nothing.
TEST_F(GoingOn, GoesOnInThePointerGeneratorWithoutCoverage) {
  const auto made = [](bool coverage) {
    return PointerGenerator({.word_width = kE,
                             .annotation_width = kDk,
                             .state_width = 4,
                             .vocabulary = 11,
                             .coverage = coverage,
                             .dtype = DType::f64});
  };
  const PointerGenerator with = made(true);
  PointerGenerator without = made(false);
  nn::zeros_(with.attend.score.coverage_vector);
  without.load_state_dict(with.state_dict());
  const Tensor ids = indices(std::vector<Index>(kB * kK, 3), {kB, kK});
  const NoGrad off;
  for (const Terms& by : {terms, Terms{}}) {
    PointerGenerator::State one = with.start(source, ids), other = without.start(source, ids);
    const auto wanted = with.run(words, one, by), have = without.run(words, other, by);
    EXPECT_THAT(numbers(have.weights.front()), near(wanted.weights.front()));
    EXPECT_THAT(numbers(have.output), near(wanted.output));
    EXPECT_THAT(numbers(without.step(word, other, by).weights.front()),
                near(with.step(word, one, by).weights.front()));
  }
}

}  // namespace
}  // namespace heed::attention
