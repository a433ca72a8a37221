// Things and their colours are read, then asked for: what looks back at the text learns to answer,
// and the same readers without it, of no smaller size and after the same steps, do not.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../../attention/mechanisms/pairs/entailment.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/embedding.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kThings = 10, kColours = 6, kWidth = 24;

// Every thing once, in any order, with any colour; `questions` of them are asked for, and each
// answer is due `delay` steps after its question.
TaskBatch text(Dice& dice, Index count, Index questions, Index delay) {
  Ids things, colours, asked, answers;
  for (Index b = 0; b < count; ++b) {
    Ids colour_of;
    for (Index i = 0; i < kThings; ++i) colour_of.push_back(dice(kColours));
    for (const Index thing : dice.order(kThings)) {
      things.push_back(thing);
      colours.push_back(colour_of[static_cast<std::size_t>(thing)]);
    }
    const Ids order = dice.order(kThings);
    answers.insert(answers.end(), static_cast<std::size_t>(delay), -100);
    for (Index i = 0; i < questions; ++i) {
      asked.push_back(order[static_cast<std::size_t>(i)]);
      answers.push_back(colour_of[static_cast<std::size_t>(asked.back())]);
    }
    asked.insert(asked.end(), static_cast<std::size_t>(delay), kThings);  // nothing any more
  }
  const Index steps = questions + delay;
  return {
      {ids(things, {count, kThings}), ids(colours, {count, kThings}), ids(asked, {count, steps})},
      ids(answers, {count * steps})};
}

class Reader : public nn::Module {
 public:
  nn::Embedding& things = child<nn::Embedding>("things", kThings + 1, kWidth);
  nn::Embedding& colours = child<nn::Embedding>("colours", kColours, kWidth);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  Tensor read(const std::vector<Tensor>& x) const { return things(x[0]) + colours(x[1]); }
};

class PairReader : public Reader {
 public:
  ConditionalEncoding& encode = child<ConditionalEncoding>("encode", kWidth, kWidth);
  OneShotAttention& attend = child<OneShotAttention>("attend", kWidth);
};

TEST(TasksOfQuestions, OneShotAttentionFindsWhatTheLastWordNames) {
  const auto draw = [](Dice& dice, Index count) { return text(dice, count, 1, 0); };
  manual_seed(1);
  PairReader with, without;
  const double found = learnt(
      "one-shot attention", with, draw,
      [&](const auto& x) {
        const Tensor words = with.read(x), asked = with.things(x[2]);
        const ConditionalEncodingOutput pair = with.encode(words, asked);
        // It looks at the words themselves, too.
        return with.out(with.attend(words + pair.premise, squeeze(asked, 1) + pair.last).pair);
      },
      600, 0.01);
  const double guessed = learnt(
      "  without: conditional encoding", without, draw,
      [&](const auto& x) {
        return without.out(without.encode(without.read(x), without.things(x[2])).last);
      },
      600, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.7);
}

// Decoders read beside each question what the encoder knows at its end, with and without.
class Answerer : public Reader {
 public:
  Answerer(Fusion fusion, bool looks) : fusion_(fusion), looks_(looks) {}

 private:
  Fusion fusion_;
  bool looks_;

 public:
  LSTMN& encoder = child<LSTMN>("encoder", LSTMNOptions{.input = kWidth, .hidden = kWidth});
  LSTMNDecoder& decoder = child<LSTMNDecoder>(
      "decoder", LSTMNDecoderOptions{
                     .input = 2 * kWidth, .hidden = kWidth, .source = kWidth, .fusion = fusion_});

  Tensor operator()(const std::vector<Tensor>& x) const {
    const Tensor words = read(x);
    const LSTMNOutput source = encoder(words);
    const Tensor asked = things(x[2]);
    const Tensor end = expand(narrow(source.output, 1, kThings - 1, 1), asked.shape());
    const Ids seen(static_cast<std::size_t>(asked.size(0)), looks_ ? kThings : 0);
    const Tensor h = decoder(concat({asked, end}, -1), source.output + words, source.memory,
                             Mask::lengths(seen, kThings))
                         .output;
    return reshape(out(h), Shape{-1, kColours});
  }
};

void expect_answers(const char* what, Fusion fusion, Index delay) {
  const auto draw = [&](Dice& dice, Index count) { return text(dice, count, 3, delay); };
  double figures[2];
  for (const bool looks : {true, false}) {
    manual_seed(2);
    Answerer made(fusion, looks);
    figures[looks ? 0 : 1] = learnt(
        looks ? what : "  without: the source's end alone", made, draw,
        [&](const auto& x) { return made(x); }, 400, 0.01);
  }
  EXPECT_GT(figures[0], 0.9);
  EXPECT_LT(figures[1], 0.6);
}

// It looks by the step before, and so answers a step later.
TEST(TasksOfQuestions, ShallowFusionLooksUpWhatWasAskedFor) {
  expect_answers("LSTMN decoder, shallow fusion", Fusion::shallow, 1);
}

TEST(TasksOfQuestions, DeepFusionLooksUpWhatIsAskedFor) {
  expect_answers("LSTMN decoder, deep fusion", Fusion::deep, 0);
}

}  // namespace
}  // namespace heed::attention
