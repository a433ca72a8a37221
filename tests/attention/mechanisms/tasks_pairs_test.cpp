// Each mechanism learns a task that needs it, and that a model without it, of the same size and
// after the same steps, does not learn.
#include <gtest/gtest.h>

#include <utility>

#include "../../../attention/mechanisms/decoders/summariser.h"
#include "../../../attention/mechanisms/pairs/attention_over_attention.h"
#include "../../../attention/mechanisms/pairs/co_attention.h"
#include "../../../attention/mechanisms/pairs/co_attention_hierarchy.h"
#include "../../../attention/mechanisms/pairs/coupled.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/embedding.h"
#include "../../../nn/init.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// One of three words stands at one of five places of the image: what is there besides?
constexpr Index kKinds = 8, kColours = 4, kQuestion = 3, kPlaces = 5;

TaskBatch look(Dice& dice, Index count) {
  Ids words, things, colours, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids kinds = dice.order(kKinds);  // the first: in both; then words, then things
    Ids own = {kinds[0], kinds[1], kinds[2]};
    std::swap(own[0], own[static_cast<std::size_t>(dice(kQuestion))]);
    words.insert(words.end(), own.begin(), own.end());
    Ids seen = {kinds[0], kinds[3], kinds[4], kinds[5], kinds[6]};
    std::swap(seen[0], seen[static_cast<std::size_t>(dice(kPlaces))]);
    for (const Index kind : seen) {
      const Index colour = dice(kColours);
      things.push_back(kind);
      colours.push_back(colour);
      if (kind == kinds[0]) answers.push_back(colour);
    }
  }
  const Tensor question = one_hot(ids(words, {count, kQuestion}), kKinds, DType::f32);
  const Tensor image = concat({one_hot(ids(things, {count, kPlaces}), kKinds, DType::f32),
                               one_hot(ids(colours, {count, kPlaces}), kColours, DType::f32)},
                              -1);
  return {{question, image}, ids(answers, {count})};
}

class Looker : public nn::Module {
 public:
  ParallelCoAttention& attend = child<ParallelCoAttention>(
      "attend",
      CoAttentionOptions{.question_width = kKinds, .image_width = kKinds + kColours, .hidden = 16});
  nn::Linear& out = child<nn::Linear>("out", kKinds + kColours, kColours);
};

TEST(TasksOfPairs, CoAttentionFindsWhatBothSpeakOf) {
  manual_seed(1);
  Looker with;
  const double found = learnt(
      "co-attention", with, look,
      [&](const auto& x) { return with.out(with.attend(x[0], x[1]).image.context); }, 400, 0.01);
  WithoutAttention without(2 * kKinds + kColours, 24, kColours);
  const double guessed = learnt(
      "  without: means of both", without, look, [&](const auto& x) { return without(x[0], x[1]); },
      400, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.6);
}

// All words of the question stand in the image; only one is meant. `marked`: it bears a mark, else
// a marker stands before it. Words and image are of one width.
constexpr Index kMeant = 4, kLook = kKinds + kColours + 1;

TaskBatch look_for_one(Dice& dice, Index count, bool marked) {
  const Index T = kMeant + (marked ? 0 : 1);
  Ids words, marks, things, colours, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids kinds = dice.order(kKinds), places = dice.order(kPlaces);
    const Index meant = dice(kMeant);
    for (Index t = 0; t < kMeant; ++t) {
      if (t == meant && !marked) {
        words.push_back(kLook - 1);
        marks.push_back(0);
      }
      words.push_back(kinds[static_cast<std::size_t>(t)]);
      marks.push_back(t == meant && marked ? 1 : 0);
    }
    for (const Index place : places) {
      things.push_back(kinds[static_cast<std::size_t>(place)]);
      colours.push_back(dice(kColours));
      if (place == meant) answers.push_back(colours.back());
    }
  }
  const Tensor mark = pad(unsqueeze(to(ids(marks, {count, T}), DType::f32), -1), {kLook - 1, 0});
  const Tensor question = one_hot(ids(words, {count, T}), kLook, DType::f32) + mark;
  const Tensor image =
      one_hot(ids(things, {count, kPlaces}), kLook, DType::f32) +
      pad(one_hot(ids(colours, {count, kPlaces}), kColours, DType::f32), {kKinds, 1});
  return {{question, image}, ids(answers, {count})};
}

template <class Kind>
class Finder : public nn::Module {
 public:
  explicit Finder(Index hidden) : hidden_(hidden) {}

 private:
  Index hidden_;

 public:
  Kind& attend = child<Kind>(
      "attend",
      CoAttentionOptions{.question_width = kLook, .image_width = kLook, .hidden = hidden_});
  nn::Linear& out = child<nn::Linear>("out", kLook, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    return out(attend(x[0], x[1]).image.context);
  }
};

TEST(TasksOfPairs, AlternatingCoAttentionLooksForWhatTheQuestionMeans) {
  manual_seed(6);
  const auto draw = [](Dice& dice, Index count) { return look_for_one(dice, count, true); };
  Finder<AlternatingCoAttention> with(24);
  WithoutAttention without(2 * kLook, 55, kColours);
  const double found = learnt(
      "alternating co-attention", with, draw, [&](const auto& x) { return with(x); }, 600, 0.01);
  const double guessed = learnt(
      "  without: means of both", without, draw, [&](const auto& x) { return without(x[0], x[1]); },
      600, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.6);
}

TEST(TasksOfPairs, TheHierarchyReadsPhrases) {
  manual_seed(7);
  const auto draw = [](Dice& dice, Index count) { return look_for_one(dice, count, false); };
  CoAttentionHierarchy with({.width = kLook, .hidden = 16, .answers = kColours});
  Finder<ParallelCoAttention> without(180);
  const double found = learnt(
      "hierarchy of co-attentions", with, draw,
      [&](const auto& x) { return with(x[0], x[1]).logits; }, 600, 0.01);
  const double guessed = learnt(
      "  without: words alone", without, draw, [&](const auto& x) { return without(x); }, 600,
      0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.6);
}

// Places of a story: who was seen with what. Whom was this thing with most often?
constexpr Index kPeople = 6, kGoods = 6, kFillers = 6, kStory = 12, kAsked = 4;

TaskBatch story(Dice& dice, Index count) {
  Ids people, goods, asked, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids who = dice.order(kPeople), what = dice.order(kGoods);
    // The answer: twice beside the thing asked for; another once; all sorts of people elsewhere.
    Ids p = {who[0], who[0], who[1]}, g = {what[0], what[0], what[0]};
    while (static_cast<Index>(p.size()) < kStory) {
      p.push_back(who[static_cast<std::size_t>(dice(kPeople))]);
      g.push_back(what[static_cast<std::size_t>(1 + dice(kGoods - 1))]);
    }
    for (const Index i : dice.order(kStory)) {
      people.push_back(p[static_cast<std::size_t>(i)]);
      goods.push_back(g[static_cast<std::size_t>(i)]);
    }
    const Index at = dice(kAsked);
    for (Index j = 0; j < kAsked; ++j) asked.push_back(j == at ? what[0] : kGoods + dice(kFillers));
    answers.push_back(who[0]);
  }
  return {{ids(people, {count, kStory}), ids(goods, {count, kStory}), ids(asked, {count, kAsked})},
          ids(answers, {count})};
}

class Teller : public nn::Module {
 public:
  static constexpr Index kWidth = 12;
  nn::Embedding& people = child<nn::Embedding>("people", kPeople, kWidth);
  nn::Embedding& goods = child<nn::Embedding>("goods", kGoods, kWidth);
  nn::Embedding& asked = child<nn::Embedding>("asked", kGoods + kFillers, kWidth);
  AttentionOverAttention& attend = child<AttentionOverAttention>("attend");
  WithoutAttention& without = child<WithoutAttention>("without", 2 * kWidth, 24, kPeople);

  Tensor document(const std::vector<Tensor>& x) const { return people(x[0]) + goods(x[1]); }
};

TEST(TasksOfPairs, AttentionOverAttentionCountsWhatIsAskedFor) {
  manual_seed(2);
  Teller with, alike, without;
  const double found = learnt(
      "attention over attention", with, story,
      [&](const auto& x) {
        const Tensor s = with.attend(with.document(x), with.asked(x[2])).weights;
        return log(pointer_sum(s, x[0], kPeople) + 1e-6);
      },
      400, 0.01);
  const double evenly = learnt(
      "  without: all attentions count alike", alike, story,
      [&](const auto& x) {
        const Tensor M = matmul(alike.document(x), transpose(alike.asked(x[2]), 1, 2));
        return log(pointer_sum(mean(softmax(M, 1), {2}), x[0], kPeople) + 1e-6);
      },
      400, 0.01);
  const double guessed = learnt(
      "  without: means of both", without, story,
      [&](const auto& x) { return without.without(without.document(x), without.asked(x[2])); }, 400,
      0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(evenly, 0.85);
  EXPECT_LT(guessed, 0.6);
}

// An opinion stands at the end: aspects of its kind are to be tagged, others not.
constexpr Index kSorts = 5, kTokens = 7;

TaskBatch sentence(Dice& dice, Index count) {
  Ids sorts, roles, answers;
  for (Index b = 0; b < count; ++b) {
    const Index opinion = dice(kSorts), other = (opinion + 1 + dice(kSorts - 1)) % kSorts;
    for (Index t = 0; t + 1 < kTokens; ++t) {
      const Index sort = dice(2) == 0 ? opinion : other;
      sorts.push_back(sort);
      roles.push_back(0);
      answers.push_back(sort == opinion ? 1 : 0);
    }
    sorts.push_back(opinion);
    roles.push_back(1);
    answers.push_back(-100);
  }
  const Shape shape{count, kTokens};
  return {{concat({one_hot(ids(sorts, shape), kSorts, DType::f32),
                   one_hot(ids(roles, shape), 2, DType::f32)},
                  -1)},
          ids(answers, {count * kTokens})};
}

TEST(TasksOfPairs, CoupledLayersAgreeOnPairs) {
  double figures[2];
  for (const Index layers : {2, 1}) {
    manual_seed(3);
    CoupledMultiLayerAttention made(
        {.width = kSorts + 2, .slices = 6, .hidden = 12, .layers = layers, .labels = 2});
    figures[layers - 1] = learnt(
        layers == 2 ? "coupled, two layers" : "  without: no layer hears of another", made,
        sentence,
        [&](const auto& x) {
          return reshape(made(x[0]).aspect.logits, Shape{-1, 2});
        },
        400, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.75);
}

// The text: names, each with its word behind it. The summary asks for one name after the other.
constexpr Index kNames = 4, kWords = 8;

TaskBatch text(Dice& dice, Index count) {
  Ids source, previous, answers;
  for (Index b = 0; b < count; ++b) {
    Ids words;
    for (Index i = 0; i < kNames; ++i) words.push_back(dice(kWords));
    for (const Index name : dice.order(kNames)) {
      source.insert(source.end(),
                    {kWords + name, words[static_cast<std::size_t>(name)], kWords + kNames});
    }
    for (const Index name : dice.order(kNames)) {
      previous.push_back(kWords + name);
      answers.push_back(words[static_cast<std::size_t>(name)]);
    }
  }
  return {{ids(source, {count, 3 * kNames}), ids(previous, {count, kNames})},
          ids(answers, {count * kNames})};
}

TEST(TasksOfPairs, TheSummariserCopiesTheWordThatIsDue) {
  manual_seed(5);
  constexpr Index kAll = kWords + kNames + 1, kWidth = 16;
  const SummariserOptions options{.source_words = kAll,
                                  .target_words = kAll,
                                  .source_width = kWidth,
                                  .target_width = kWidth,
                                  .context = 1,
                                  .window = 1,
                                  .hidden = kWidth};
  Summariser with(options), without(options);
  for (const nn::Module* module : {&with, &without}) {
    // Scores that begin small: a look that is sharp at once may stay where it is.
    for (const Tensor& parameter : module->parameters()) nn::normal_(parameter, 0, 0.1);
  }
  const double found = learnt(
      "summariser", with, text,
      [&](const auto& x) {
        return reshape(with(x[0], x[1]).logits, Shape{-1, kAll});
      },
      600, 0.01);
  const double guessed = learnt(
      "  without: a bag of words", without, text,
      [&](const auto& x) {
        const Tensor bag = mean(without.source_embedding(x[0]), {1}, true);  // as if p were uniform
        const Tensor h = tanh(without.context_projection(without.context_embedding(x[1])));
        return reshape(without.context_out(h) + without.encoder_out(bag), Shape{-1, kAll});
      },
      600, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.6);
}

}  // namespace
}  // namespace heed::attention
