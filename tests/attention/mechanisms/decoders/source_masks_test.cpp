// A source's mask may be any tensor that broadcasts to [B, 1, K]: a beam search goes on with its
// rows as with those of key_padding().
#include <gtest/gtest.h>

#include "../../../../attention/mechanisms/decoders/bahdanau_decoder.h"
#include "../../../../attention/mechanisms/decoders/conv_seq2seq.h"
#include "../../../../attention/mechanisms/decoders/location_aware_decoder.h"
#include "../../../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../../../attention/mechanisms/decoders/pointer_generator.h"
#include "../../../../attention/mechanisms/decoders/pointer_network.h"
#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../support/seeded_test.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kK = 5, kE = 6, kDk = 4;

class SourceMasks : public SeededTest<53> {
 protected:
  const Tensor word = randn({kB, kE}, DType::f64);
  const Tensor source = randn({kB, kK, kDk}, DType::f64);
  const Tensor beams = indices({1, 0, 1}, {3});
  // The first place is hidden in a row, the last in both.
  const Tensor real = indices({0, 1, 1, 0, 0, 1, 1, 0, 1, 0}, {kB, kK}) == 1;
  const Tensor of_all = indices({0, 1, 1, 1, 0}, {kK}) == 1;

  // `start(mask)` begins, `step(rows, state)` goes on with these rows of words; scores have so many
  // axes.
  template <class Start, class Step>
  void expect_same(const Start& start, const Step& step, Index rank = 3) {
    const NoGrad off;
    const auto outputs = [&](const Mask& mask) {
      auto state = start(mask);
      std::vector<Numbers> out = {numbers(step(indices({0, 1}, {2}), state))};
      state.reorder(beams);
      out.push_back(numbers(step(beams, state)));
      state.reorder(indices({2}, {1}));
      out.push_back(numbers(step(indices({1}, {1}), state)));
      return out;
    };
    const auto compare = [&](const Tensor& given, const Tensor& keys) {
      const std::vector<Numbers> have = outputs(Mask(given));
      const std::vector<Numbers> want = outputs(Mask::key_padding(keys));
      for (std::size_t i = 0; i < want.size(); ++i) EXPECT_THAT(have[i], near(want[i])) << i;
    };
    const Tensor rows = unsqueeze(real, 1);
    compare(rank == 3 ? rows : unsqueeze(rows, 1), real);
    const Tensor both = contiguous(expand(of_all, {kB, kK}));
    compare(of_all, both);
    compare(reshape(of_all, {1, kK}), both);
    compare(reshape(of_all, {1, 1, kK}), both);
  }
  template <class D>
  auto step_of(const D& made) const {
    return [this, &made](const Tensor& rows, typename D::State& state) {
      return made.step(index_select(word, 0, rows), state).output;
    };
  }
};

TEST_F(SourceMasks, OfBahdanausDecoder) {
  const BahdanauDecoder made(
      {.word_width = kE, .annotation_width = kDk, .state_width = 3, .dtype = DType::f64});
  expect_same([&](const Mask& mask) { return made.start(source, mask); }, step_of(made));
}

TEST_F(SourceMasks, OfTheLocationAwareDecoder) {
  for (const Index window : {0, 1}) {
    const LocationAwareDecoder made({.word_width = kE,
                                     .annotation_width = kDk,
                                     .state_width = 3,
                                     .filters = 2,
                                     .kernel = 3,
                                     .window = window,
                                     .dtype = DType::f64});
    expect_same([&](const Mask& mask) { return made.start(source, mask); }, step_of(made));
  }
}

TEST_F(SourceMasks, OfTheLSTMNDecoder) {
  const LSTMNDecoder made(
      {.input = kE, .hidden = kDk, .source = kDk, .attention = 7, .dtype = DType::f64});
  const Tensor tape = randn({kB, kK, kDk}, DType::f64);
  expect_same([&](const Mask& mask) { return made.start(source, tape, mask); }, step_of(made));
}

TEST_F(SourceMasks, OfTheConvolutionalDecoder) {
  const ConvDecoder made({.width = kE, .hidden = 4, .kernel = 3, .dtype = DType::f64});
  const Tensor z = randn({kB, kK, kE}, DType::f64);
  expect_same([&](const Mask& mask) { return made.start(Memory(z, z, mask)); }, step_of(made));
}

TEST_F(SourceMasks, OfThePointerGenerator) {
  const PointerGenerator made({.word_width = kE,
                               .annotation_width = kDk,
                               .state_width = 3,
                               .vocabulary = 11,
                               .dtype = DType::f64});
  const Tensor ids = indices(std::vector<Index>(kB * kK, 3), {kB, kK});
  expect_same([&](const Mask& mask) { return made.start(source, ids, mask); }, step_of(made));
}

TEST_F(SourceMasks, OfThePointerNetwork) {
  const PointerNetwork made(
      {.input_width = 2, .key_width = kDk, .state_width = 3, .dtype = DType::f64});
  const Tensor inputs = randn({kB, kK, 2}, DType::f64), places = indices({1, 2}, {kB});
  expect_same([&](const Mask& mask) { return made.start(source, inputs, mask); },
              [&](const Tensor& rows, PointerNetwork::State& state) {
                return exp(made.step(index_select(places, 0, rows), state));
              });
}

TEST_F(SourceMasks, OfTheTransformersDecoder) {
  const TransformerDecoder made(
      2, {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = DType::f64});
  const Tensor memory = randn({kB, kK, kE}, DType::f64);
  expect_same([&](const Mask& mask) { return made.start(memory, mask); }, step_of(made), 4);
}

}  // namespace
}  // namespace heed::attention
