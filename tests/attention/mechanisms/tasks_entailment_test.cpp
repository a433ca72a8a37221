// Mechanisms for entailment on a task that they must learn: see learning_task.h.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/pairs/bimpm.h"
#include "../../../attention/mechanisms/pairs/decomposable.h"
#include "../../../attention/mechanisms/pairs/entailment.h"
#include "../../../attention/mechanisms/pairs/esim.h"
#include "../../../attention/mechanisms/pairs/lstmn_pair.h"
#include "../../../core/generator.h"
#include "../../../nn/embedding.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Does the premise say all that the hypothesis says, in whatever order?
constexpr Index kFacts = 22, kPremise = 9, kHypothesis = 2;

TaskBatch entail(Dice& dice, Index count) {
  Ids premise, hypothesis, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids facts = dice.order(kFacts);
    premise.push_back(kFacts);  // the delimiter
    premise.insert(premise.end(), facts.begin(), facts.begin() + kPremise);
    Ids said(facts.begin(), facts.begin() + kPremise);
    for (Index i = 0; i < kHypothesis; ++i) {
      std::swap(said[static_cast<std::size_t>(i)],
                said[static_cast<std::size_t>(i + dice(kPremise - i))]);
    }
    const Index holds = dice(2);
    if (holds == 0) {
      said[static_cast<std::size_t>(dice(kHypothesis))] =
          facts[static_cast<std::size_t>(kPremise + dice(kFacts - kPremise))];
    }
    hypothesis.insert(hypothesis.end(), said.begin(), said.begin() + kHypothesis);
    answers.push_back(holds);
  }
  return {{ids(premise, {count, kPremise + 1}), ids(hypothesis, {count, kHypothesis})},
          ids(answers, {count})};
}

class Entailer : public nn::Module {
 public:
  static constexpr Index kWidth = 24;
  nn::Embedding& words = child<nn::Embedding>("words", kFacts + 1, kWidth);
  ConditionalEncoding& read = child<ConditionalEncoding>("read", kWidth, kWidth);
  WordByWord& attend = child<WordByWord>("attend", kWidth);
  nn::Linear& out = child<nn::Linear>("out", kWidth, 2);
};

TEST(TasksOfEntailment, WordByWordFindsEachInThePremise) {
  manual_seed(4);
  Entailer with, without;
  const double found = learnt(
      "word by word", with, entail,
      [&](const auto& x) {
        const Tensor premise = with.words(x[0]), hypothesis = with.words(x[1]);
        // It looks at the words themselves: the reading only says where it has got to.
        const Tensor read = with.read(premise, hypothesis).hypothesis + hypothesis;
        return with.out(with.attend(premise, read).pair);
      },
      3000, 0.003);
  const double guessed = learnt(
      "  without: conditional encoding", without, entail,
      [&](const auto& x) {
        return without.out(without.read(without.words(x[0]), without.words(x[1])).last);
      },
      3000, 0.003);
  EXPECT_GT(found, 0.87);
  EXPECT_LT(guessed, 0.82);
}

// A model of pairs behind one table of words.
template <class Kind>
class Aligner : public nn::Module {
 public:
  static constexpr Index kWidth = 16;
  template <class... Args>
  explicit Aligner(Index pair, const Args&... args)
      : attend(child<Kind>("attend", args...)), out(child<nn::Linear>("out", pair, 2)) {}
  nn::Embedding& words = child<nn::Embedding>("words", kFacts + 1, kWidth);
  Kind& attend;
  nn::Linear& out;
};

// The right answers of a model that learns.
template <class Kind, class... Args>
double aligned(const char* name, int steps, Index pair, const Args&... args) {
  manual_seed(8);
  Aligner<Kind> with(pair, args...);
  return learnt(
      name, with, entail,
      [&](const auto& x) { return with.out(with.attend(with.words(x[0]), with.words(x[1])).pair); },
      steps, 0.005);
}

TEST(TasksOfEntailment, AlignmentFindsEachInThePremise) {
  constexpr Index kWidth = 16;
  constexpr int kSteps = 600, kMostSteps = 1500;
  const double decomposed = aligned<DecomposableAttention>(
      "decomposable attention", kSteps, 2 * 24, DecomposableOptions{.width = kWidth, .hidden = 24});
  const double enhanced =
      aligned<ESIM>("ESIM", kSteps, 8 * 12, EsimOptions{.width = kWidth, .hidden = 12});
  const double matched = aligned<BiMPM>(
      "BiMPM", kSteps, 4 * 12, BiMPMOptions{.width = kWidth, .hidden = 12, .perspectives = 8});
  const double fused = aligned<LSTMNPair>("LSTMN pair", kMostSteps, 2 * 24, kWidth, Index{24});
  manual_seed(8);
  Entailer without;
  const double guessed = learnt(
      "  without: conditional encoding", without, entail,
      [&](const auto& x) {
        return without.out(without.read(without.words(x[0]), without.words(x[1])).last);
      },
      kMostSteps, 0.005);
  EXPECT_GT(decomposed, 0.9);
  EXPECT_GT(enhanced, 0.9);
  EXPECT_GT(matched, 0.9);
  EXPECT_GT(fused, 0.9);
  EXPECT_LT(guessed, 0.8);
}

}  // namespace
}  // namespace heed::attention
