// A state goes on in the decoder that began it: one of another decoder, which may have other
// layers, widths or options, is refused by name and read by nobody.
#include <gtest/gtest.h>

#include <string>

#include "../../../../attention/mechanisms/decoders/bahdanau_decoder.h"
#include "../../../../attention/mechanisms/decoders/conv_seq2seq.h"
#include "../../../../attention/mechanisms/decoders/location_aware_decoder.h"
#include "../../../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../../../attention/mechanisms/decoders/luong_decoder.h"
#include "../../../../attention/mechanisms/decoders/pointer_network.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 7, kE = 3, kDk = 5;

class OtherStates : public SeededTest<3> {
 protected:
  Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kDk}, DType::f64),
         word = randn({kB, kE}, DType::f64);

  // `state` in `decoder`, by a step and by a run; what a refused call leaves of it is as it was.
  template <class Refusal, class D>
  void expect_refused(const D& decoder, typename D::State state, const std::string& why) {
    EXPECT_ERROR(Refusal, why, decoder.step(word, state));
    EXPECT_ERROR(Refusal, why, decoder.run(words, state));
    EXPECT_ERROR(Refusal, why, decoder.run(words, state, {}, {2, 3}));
  }
};

TEST_F(OtherStates, OfOtherLayersAreNotLuongs) {
  const auto made = [](Index layers, bool feeding) {
    return LuongDecoder({.word_width = kE,
                         .source_width = kDk,
                         .state_width = kDk,
                         .layers = layers,
                         .input_feeding = feeding,
                         .dtype = DType::f64});
  };
  for (const bool feeding : {false, true}) {
    const LuongDecoder one = made(1, feeding), two = made(2, feeding);
    const char* fewer = "luong_decoder: the state has 1 layers, the decoder 2";
    expect_refused<ValueError>(two, one.start(source), fewer);
    const char* more = "luong_decoder: the state has 2 layers, the decoder 1";
    expect_refused<ValueError>(one, two.start(source), more);
    const char* none = "luong_decoder: the state has 0 layers, the decoder 1";
    expect_refused<ValueError>(one, {}, none);
    LuongDecoder::State own = two.start(source);
    EXPECT_NO_THROW(two.step(word, own));
    EXPECT_NO_THROW(two.run(words, own));
  }
  const LuongDecoder feeding = made(1, true), alone = made(1, false);
  expect_refused<ValueError>(
      feeding, alone.start(source),
      "luong_decoder: the state is of a decoder without input_feeding, this one is with");
  expect_refused<ValueError>(
      alone, feeding.start(source),
      "luong_decoder: the state is of a decoder with input_feeding, this one is without");
}

TEST_F(OtherStates, OfOtherLayersAreNotBahdanaus) {
  const auto made = [](Index layers) {
    return BahdanauDecoder({.word_width = kE,
                            .annotation_width = kDk,
                            .state_width = 4,
                            .start_width = 2,
                            .layers = layers,
                            .dtype = DType::f64});
  };
  const BahdanauDecoder one = made(1), two = made(2);
  expect_refused<ValueError>(two, one.start(source),
                             "bahdanau_decoder: the state has 1 layers, the decoder 2");
  expect_refused<ValueError>(one, two.start(source),
                             "bahdanau_decoder: the state has 2 layers, the decoder 1");
  expect_refused<ValueError>(one, {}, "bahdanau_decoder: the state has 0 layers, the decoder 1");
}

TEST_F(OtherStates, OfOtherLayersAndKernelsAreNotAConvolutionalDecoders) {
  const auto made = [](Index layers, Index kernel) {
    return ConvDecoder(
        {.width = kE, .hidden = 4, .layers = layers, .kernel = kernel, .dtype = DType::f64});
  };
  const Memory memory(randn({kB, kK, kE}, DType::f64), randn({kB, kK, kE}, DType::f64));
  const ConvDecoder one = made(1, 2), two = made(2, 2), wide = made(1, 5);
  expect_refused<ValueError>(two, one.start(memory),
                             "conv_seq2seq: the state has 1 layers, the decoder 2");
  expect_refused<ValueError>(one, two.start(memory),
                             "conv_seq2seq: the state has 2 layers, the decoder 1");
  expect_refused<ValueError>(one, {}, "conv_seq2seq: the state has 0 layers, the decoder 1");
  expect_refused<ShapeError>(one, wide.start(memory),
                             "conv_seq2seq: a layer's past must be [2, 1, 4], not f64[2, 4, 4]");
}

TEST_F(OtherStates, WithAWindowAreNotThoseWithoutOne) {
  const auto made = [](Index window) {
    return LocationAwareDecoder({.word_width = kE,
                                 .annotation_width = kDk,
                                 .state_width = 4,
                                 .filters = 2,
                                 .kernel = 3,
                                 .window = window,
                                 .dtype = DType::f64});
  };
  const LocationAwareDecoder whole = made(0), near = made(2);
  LocationAwareDecoder::State of_whole = whole.start(source), of_near = near.start(source);
  whole.step(word, of_whole);
  near.step(word, of_near);
  expect_refused<ValueError>(
      near, of_whole,
      "location_aware_decoder: the state is of a decoder without a window, this one is with");
  expect_refused<ValueError>(
      whole, of_near,
      "location_aware_decoder: the state is of a decoder with a window, this one is without");
  EXPECT_NO_THROW(whole.step(word, of_whole));
  EXPECT_NO_THROW(near.step(word, of_near));
  // Of a source without places no window is ever laid.
  LocationAwareDecoder::State nothing = near.start(zeros({kB, 0, kDk}, DType::f64));
  EXPECT_NO_THROW(near.step(word, nothing));
  EXPECT_NO_THROW(near.step(word, nothing));
}

TEST_F(OtherStates, OfAnotherWidthOrFusionAreNotAnLSTMNs) {
  const auto made = [](Index hidden, Index width, Fusion fusion) {
    return LSTMNDecoder(
        {.input = kE, .hidden = hidden, .source = width, .fusion = fusion, .dtype = DType::f64});
  };
  const LSTMNDecoder narrow = made(2, 2, Fusion::deep), wide = made(5, 5, Fusion::deep),
                     shallow = made(5, 5, Fusion::shallow);
  const Tensor small = randn({kB, kK, 2}, DType::f64);
  expect_refused<ShapeError>(wide, narrow.start(small, small),
                             "LSTMNDecoder: the state is of another decoder: its last look or h "
                             "must be [B, 5], not f64[2, 2], and its memory's values [B, S, 10], "
                             "not f64[2, 7, 4]");
  const std::string fits =
      "LSTMNDecoder: the state is of another decoder: its last look or h must be [B, 5], not "
      "f64[2, 5], and its memory's values ";
  expect_refused<ShapeError>(wide, shallow.start(source, source),
                             fits + "[B, S, 10], not f64[2, 7, 5]");
  expect_refused<ShapeError>(shallow, wide.start(source, source),
                             fits + "[B, S, 5], not f64[2, 7, 10]");
}

TEST_F(OtherStates, WithOtherInputsAreNotAPointerNetworks) {
  const auto made = [](Index inputs) {
    return PointerNetwork(
        {.input_width = inputs, .key_width = kDk, .state_width = 4, .dtype = DType::f64});
  };
  const PointerNetwork three = made(3), two = made(2);
  PointerNetwork::State state = three.start(source, randn({kB, kK, 3}, DType::f64));
  EXPECT_ERROR(ShapeError,
               "pointer_network: the state's inputs must be [.., n, 2], not f64[2, 7, 3]",
               two.step(tensor(std::vector<Index>{1, 0}), state));
}

}  // namespace
}  // namespace heed::attention
