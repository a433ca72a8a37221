#include "../../../../attention/mechanisms/decoders/bahdanau_decoder.h"

#include <gtest/gtest.h>

#include "../../../../attention/scores/feature_wise.h"
#include "../../../../attention/scores/general.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 5, kE = 7, kDk = 4, kH = 6;
const std::vector<Index> kLengths = {kK, 3};
const BahdanauOptions kOptions{.word_width = kE,
                               .annotation_width = kDk,
                               .state_width = kH,
                               .hidden = 2,
                               .readout = 3,
                               .dtype = DType::f64};

struct Inputs {
  Tensor words, source;
  Mask mask = Mask::lengths(kLengths, kK);
  Inputs() {
    words = randn({kB, kT, kE}, DType::f64);
    source = randn({kB, kK, kDk}, DType::f64);
  }
};

TEST(BahdanauDecoder, IsTheDefinition) {
  manual_seed(3);
  const Inputs in;
  const BahdanauDecoder made(kOptions);
  const StackOutput all = made(in.words, in.source, in.mask, {.need_weights = true});
  const Block words(in.words), source(in.source);
  const Numbers v = plain::parameter(made, "score.score_vector").values();
  Numbers outs, weights;
  for (Index b = 0; b < kB; ++b) {
    const Numbers first = source.row({b, 0});
    Numbers s = plain::tanh(plain::affine(made, "initial", {first[2], first[3]}));
    for (Index t = 0; t < kT; ++t) {
      Numbers scores;
      for (Index j = 0; j < kK; ++j) {
        scores.push_back(
            plain::dot(v, plain::tanh(plain::add(
                              plain::affine(made, "score.query_projection", s),
                              plain::affine(made, "score.key_projection", source.row({b, j}))))));
      }
      const Numbers a = plain::softmax(scores, kLengths[static_cast<std::size_t>(b)]);
      const Numbers c = plain::weighed(a, source, b), y = words.row({b, t});
      const Numbers out =
          plain::maxout(plain::affine(made, "readout.linear", plain::join({s, y, c})));
      outs.insert(outs.end(), out.begin(), out.end());
      weights.insert(weights.end(), a.begin(), a.end());
      s = plain::gru(made, "cell", plain::join({y, c}), s);
    }
  }
  EXPECT_LT(difference(all.output, outs), 1e-10);
  EXPECT_LT(difference(all.weights.front(), weights), 1e-10);
  EXPECT_EQ(all.output.shape(), (Shape{kB, kT, 3}));
}

TEST(BahdanauDecoder, StepByStepEqualsAllAtOnceAndBeamsCarryOn) {
  manual_seed(5);
  const Inputs in;
  const BahdanauDecoder made(kOptions);
  const StackOutput all = made(in.words, in.source, in.mask, {.need_weights = true});
  // Row 1 twice, then row 0: as if they had been decoded like that from the beginning.
  expect_steps(made, made.start(in.source, in.mask), in.words, all, 1, {1, 1, 0});
  // Within one source only the state moves.
  auto same = made.start(expand(narrow(in.source, 0, 0, 1), {kB, kK, kDk}));
  made.step(select(in.words, 1, 0), same);
  auto moved = same;
  const Tensor swap(Array::from(std::vector<Index>{1, 0}));
  moved.reorder(swap, false);
  EXPECT_LT(
      difference(made.step(select(in.words, 1, 1), moved).output,
                 index_select(made.step(index_select(select(in.words, 1, 1), 0, swap), same).output,
                              0, swap)),
      1e-12);
}

TEST(BahdanauDecoder, TargetsMayEndBeforeOthers) {
  manual_seed(7);
  const Inputs in;
  const BahdanauDecoder made(kOptions);
  expect_ends(made, in.words, {kT, 2}, [&](const Tensor& words) {
    return std::vector{made(words, in.source, in.mask, {}, {kT, 2}).output};
  });
  const Tensor out = made(in.words, in.source, in.mask, {}, {kT, 2}).output;
  EXPECT_EQ(sum(abs(select(select(out, 0, 1), 0, 2))).item(), 0);
  const Tensor alone =
      made(narrow(narrow(in.words, 0, 1, 1), 1, 0, 2), narrow(narrow(in.source, 0, 1, 1), 1, 0, 3))
          .output;
  EXPECT_LT(difference(alone, narrow(narrow(out, 0, 1, 1), 1, 0, 2)), 1e-12);
}

TEST(BahdanauDecoder, ASourceWithoutPlacesIsNotLookedAt) {
  manual_seed(9);
  Inputs in;
  const BahdanauDecoder made(kOptions);
  in.source.set_requires_grad();
  const StackOutput out =
      made(in.words, in.source, Mask::lengths({kK, 0}, kK), {.need_weights = true});
  expect_unseen(out.output, out.weights, in.source);
}

TEST(BahdanauDecoder, TakesAnyScoreSeveralLayersAndAReadoutOfTheNewState) {
  manual_seed(13);
  const Inputs in;
  BahdanauOptions options = kOptions;
  const Index H = options.state_width;
  for (const bool readout_of_state : {false, true}) {
    const auto general = std::make_shared<General>(H, kDk, DType::f64);
    options.score = general;
    options.layers = 3;
    options.readout_of_state = readout_of_state;
    BahdanauDecoder made(options);
    const StackOutput all = made(in.words, in.source, in.mask, {.need_weights = true});
    // One step after the other: the last layer asks, the first reads.
    auto state = made.start(in.source, in.mask);
    ASSERT_EQ(state.layers.size(), 3U);
    std::vector<Tensor> s = state.layers;
    for (Index t = 0; t < kT; ++t) {
      const Tensor y = select(in.words, 1, t), before = s.back();
      const Tensor c = squeeze(
          attend(*general, unsqueeze(before, 1), in.source, in.source, {.mask = in.mask}).context,
          1);
      s[0] = made.cell(concat({y, c}, 1), s[0]);
      for (std::size_t l = 0; l < 2; ++l) s[l + 1] = made.upper[l](s[l], s[l + 1]);
      const Tensor out = made.readout(concat({readout_of_state ? s.back() : before, y, c}, 1));
      EXPECT_LT(difference(select(all.output, 1, t), Block(out).values()), 1e-12);
    }
    expect_steps(made, made.start(in.source, in.mask), in.words, all, 1, {1, 0});
    const auto report =
        nn::gradcheck(made, [&] { return made(in.words, in.source, in.mask).output; },
                      {.step = 1e-4, .max_elements = 4});
    EXPECT_TRUE(report) << report.text();
  }
  options.layers = 0;
  EXPECT_ERROR(ValueError, "bahdanau_decoder: layers 0 must be positive",
               BahdanauDecoder made(options));
  options.layers = 1;
  options.score = std::make_shared<FeatureWise>(H, kDk, 2, 2, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "takes no score that looks back", BahdanauDecoder made(options));
}

TEST(BahdanauDecoder, SummariesStandForTheFirstAnnotation) {
  manual_seed(11);
  const Inputs in;
  BahdanauOptions options = kOptions;
  options.start_width = 5;
  BahdanauDecoder made(options);
  const Tensor summary = randn({kB, 5}, DType::f64);
  const auto forward = [&] {
    auto state = made.start(in.source, in.mask, summary);
    return made.run(in.words, state).output;
  };
  const auto first = nn::gradcheck(made, forward, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  EXPECT_ERROR_WITH(ShapeError,
                    "bahdanau_decoder: annotations f64[2, 5, 4] have no 5 features to start from",
                    made.start(in.source));
  EXPECT_ERROR_WITH(ShapeError, "bahdanau_decoder: the summary must be [2, 5], not f64[2, 4]",
                    made.start(in.source, in.mask, narrow(summary, 1, 0, 4)));
}

TEST(BahdanauDecoder, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "annotation_width 0 and state_width 2 must be",
                    BahdanauDecoder made({.word_width = 1, .state_width = 2}));
  EXPECT_ERROR_WITH(
      ValueError, "an annotation_width of 3 has no half",
      BahdanauDecoder made({.word_width = 1, .annotation_width = 3, .state_width = 2}));
  const Inputs in;
  const BahdanauDecoder made(kOptions);
  auto state = made.start(in.source, in.mask);
  EXPECT_ERROR_WITH(ShapeError, "bahdanau_decoder: a step's word must be [2, 7], not f64[2, 3, 7]",
                    made.step(in.words, state));
  EXPECT_ERROR_WITH(DTypeError, "must be f64, not f32[2, 7]", made.step(zeros({kB, kE}), state));
  EXPECT_ERROR_WITH(GradError, "bahdanau_decoder: word is undefined", made.step(Tensor(), state));
  EXPECT_ERROR_WITH(ShapeError, "length 4 of row 1 is not in [0, 3]",
                    made(in.words, in.source, in.mask, {}, {kT, 4}));
  EXPECT_ERROR_WITH(IndexError, "2", state.reorder(Tensor(Array::from(std::vector<Index>{2}))));
}

TEST(BahdanauDecoder, ABiasOfARunHasARowForEachStep) {
  manual_seed(5);
  const Inputs in;
  const BahdanauDecoder made(kOptions);
  const Tensor each = randn({kB, kT, kK}, DType::f64), of_all = randn({kT, kK}, DType::f64);
  for (const Tensor& bias : {each, of_all}) {
    auto state = made.start(in.source, in.mask);
    const Tensor whole = made(in.words, in.source, in.mask, {.bias = bias}).output;
    for (Index t = 0; t < kT; ++t) {
      const Terms terms{.bias = select(bias, -2, t)};
      const Tensor now = made.step(select(in.words, 1, t), state, terms).output;
      EXPECT_LT(difference(now, select(whole, 1, t)), 1e-12) << t;
    }
  }
}

}  // namespace
}  // namespace heed::attention
