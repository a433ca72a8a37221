// What looks things up, in another text or in what was read long ago, learns tasks that need it,
// and that its counterparts, of the same size and after the same steps, do not learn.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/memory/dynamic_memory.h"
#include "../../../attention/mechanisms/memory/memorizing.h"
#include "../../../attention/mechanisms/memory/neural_cache.h"
#include "../../../attention/mechanisms/pairs/bi_directional.h"
#include "../../../attention/mechanisms/pairs/gated_matching.h"
#include "../../../attention/mechanisms/pairs/two_streams.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// A question names one of the kinds that stand in a text, each with a colour: which colour?
constexpr Index kKinds = 6, kColours = 4, kText = 5, kAsked = 3, kWidth = 16;

TaskBatch asked(Dice& dice, Index count) {
  Ids kinds, colours, questions, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids order = dice.order(kKinds);
    const Index meant = dice(kText), at = dice(kAsked);
    for (Index t = 0; t < kText; ++t) {
      kinds.push_back(order[static_cast<std::size_t>(t)]);
      colours.push_back(dice(kColours));
      if (t == meant) answers.push_back(colours.back());
    }
    for (Index j = 0; j < kAsked; ++j) {
      questions.push_back(j == at ? order[static_cast<std::size_t>(meant)] : kKinds);
    }
  }
  const Shape text{count, kText};
  return {{concat({one_hot(ids(kinds, text), kKinds, DType::f32),
                   one_hot(ids(colours, text), kColours, DType::f32)},
                  -1),
           one_hot(ids(questions, {count, kAsked}), kKinds + 1, DType::f32)},
          ids(answers, {count})};
}

class Flow : public nn::Module {
 public:
  nn::Linear& text = child<nn::Linear>("text", kKinds + kColours, kWidth);
  nn::Linear& question = child<nn::Linear>("question", kKinds + 1, kWidth);
  BiDirectional& flow = child<BiDirectional>("flow", kWidth);
  nn::Linear& hidden = child<nn::Linear>("hidden", 4 * kWidth, 32);
  nn::Linear& out = child<nn::Linear>("out", 32, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    const Tensor G = flow(text(x[0]), question(x[1])).context;
    return out(sum(relu(hidden(G)), {1}));
  }
};

class Streams : public nn::Module {
 public:
  nn::Linear& text = child<nn::Linear>("text", kKinds + kColours, kWidth);
  nn::Linear& question = child<nn::Linear>("question", kKinds + 1, kWidth);
  TwoStreams& look = child<TwoStreams>(
      "look",
      TwoStreamsOptions{
          .width = kWidth, .other_width = kWidth, .heads = 2, .hidden = 32, .other_hidden = 32});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    return out(mean(look(question(x[1]), text(x[0])).x.context, {1}));
  }
};

class Matching : public nn::Module {
 public:
  nn::Linear& text = child<nn::Linear>("text", kKinds + kColours, kWidth);
  nn::Linear& question = child<nn::Linear>("question", kKinds + 1, kWidth);
  GatedMatching& read =
      child<GatedMatching>("read", GatedMatchingOptions{.width = kWidth, .hidden = kWidth});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    return out(select(read(text(x[0]), question(x[1])).context, 1, -1));
  }
};

TEST(TasksOfRetrieval, PairsFindWhatIsAskedFor) {
  manual_seed(1);
  Flow flow;
  Streams streams;
  Matching matching;
  WithoutAttention without(2 * kKinds + kColours + 1, 64, kColours);
  const double flowed = learnt(
      "bi-directional flow", flow, asked, [&](const auto& x) { return flow(x); }, 600, 0.005);
  const double streamed = learnt(
      "two streams", streams, asked, [&](const auto& x) { return streams(x); }, 600, 0.005);
  const double matched = learnt(
      "gated matching", matching, asked, [&](const auto& x) { return matching(x); }, 600, 0.005);
  const double guessed = learnt(
      "  without: means of both", without, asked,
      [&](const auto& x) { return without(x[0], x[1]); }, 600, 0.005);
  EXPECT_GT(flowed, 0.9);
  EXPECT_GT(streamed, 0.9);
  EXPECT_GT(matched, 0.9);
  EXPECT_LT(guessed, 0.6);
}

// Two things of a text are of one kind, and the others of kinds of their own; one of the two has no
// colour: it is that of the other.
TaskBatch twins(Dice& dice, Index count) {
  Ids kinds, colours, answers;
  for (Index b = 0; b < count; ++b) {
    Ids order = dice.order(kKinds), places = dice.order(kKinds);
    order[static_cast<std::size_t>(places[0])] = order[static_cast<std::size_t>(places[1])];
    for (Index t = 0; t < kKinds; ++t) {
      kinds.push_back(order[static_cast<std::size_t>(t)]);
      colours.push_back(t == places[0] ? kColours : dice(kColours));
      if (t == places[1]) answers.push_back(colours.back());
    }
  }
  const Shape text{count, kKinds};
  return {{concat({one_hot(ids(kinds, text), kKinds, DType::f32),
                   one_hot(ids(colours, text), kColours + 1, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

class Twins : public nn::Module {
 public:
  explicit Twins(bool matches) : matches_(matches) {}
  nn::Linear& text = child<nn::Linear>("text", kKinds + kColours + 1, kWidth);
  SelfMatching& read =
      child<SelfMatching>("read", SelfMatchingOptions{.width = kWidth, .hidden = kWidth});
  nn::GRU& alone = child<nn::GRU>(
      "alone", nn::GRUOptions{.input = kWidth, .hidden = kWidth, .bidirectional = true});
  nn::Linear& out = child<nn::Linear>("out", 2 * kWidth, kColours);

  // What the one without a colour is told.
  Tensor operator()(const std::vector<Tensor>& x) const {
    const Tensor words = text(x[0]), marked = narrow(x[0], -1, kKinds + kColours, 1);
    return out(sum((matches_ ? read(words).context : alone(words).output) * marked, {1}));
  }

 private:
  bool matches_;
};

TEST(TasksOfRetrieval, ATextThatReadsItselfFindsItsTwins) {
  double figures[2];
  for (const bool matches : {true, false}) {
    manual_seed(3);
    Twins made(matches);
    figures[matches ? 1 : 0] = learnt(
        matches ? "self-matching" : "  without: the recurrent layer alone", made, twins,
        [&](const auto& x) { return made(x); }, 600, 0.005);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.8);
}

// Names with their colours stand in the first of three segments, each of which ends with a question
// for one of them: that of the first can be answered by itself, that of the third cannot.
constexpr Index kPeople = 4, kSegment = kPeople + 1;

TaskBatch long_ago(Dice& dice, Index count) {
  Ids names, colours, asks, answers;
  for (Index b = 0; b < count; ++b) {
    Ids own(static_cast<std::size_t>(kPeople));
    const Ids order = dice.order(kPeople);
    for (Index t = 0; t < 3 * kSegment; ++t) {
      const bool asked_here = (t + 1) % kSegment == 0, told = t < kPeople;
      const Index name = told ? order[static_cast<std::size_t>(t)] : dice(kPeople);
      if (told) own[static_cast<std::size_t>(name)] = dice(kColours);
      names.push_back(told || asked_here ? name : kPeople);
      colours.push_back(told ? own[static_cast<std::size_t>(name)] : kColours);
      asks.push_back(asked_here ? 1 : 0);
      if (asked_here && t / kSegment != 1) answers.push_back(own[static_cast<std::size_t>(name)]);
    }
  }
  const Shape shape{count, 3 * kSegment};
  const auto hot = [&](const Ids& x, Index n) { return one_hot(ids(x, shape), n, DType::f32); };
  return {{concat({hot(names, kPeople + 1), hot(colours, kColours + 1), hot(asks, 2)}, -1)},
          ids(answers, {count * 2})};
}

class Rememberer : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", kPeople + 1 + kColours + 1 + 2, kWidth);
  Memorizing& attend =
      child<Memorizing>("attend", MemorizingOptions{.width = kWidth, .heads = 2, .nearest = 3});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  Tensor operator()(const Tensor& x, bool remembers) const {
    Memorizing::Store store;
    std::vector<Tensor> asked_for;
    for (Index segment = 0; segment < 3; ++segment) {
      if (!remembers) store = {};
      const Tensor seen = attend(in(narrow(x, 1, segment * kSegment, kSegment)), store).context;
      if (segment != 1) asked_for.push_back(select(seen, 1, kSegment - 1));
    }
    return reshape(out(stack(asked_for, 1)), {-1, kColours});
  }
};

TEST(TasksOfRetrieval, MemorizingHeadsLookUpWhatStoodSegmentsAgo) {
  double figures[2];
  for (const bool remembers : {true, false}) {
    manual_seed(2);
    Rememberer made;
    figures[remembers ? 1 : 0] = learnt(
        remembers ? "memorizing heads" : "  without: each segment by itself", made, long_ago,
        [&](const auto& x) { return made(x[0], remembers); }, 600, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.7);
}

// A text of pairs: a name, and a word that it has in this text alone. Each name comes twice: what
// follows it the second time?
constexpr Index kNames = 4, kWords = 6, kPairs = 8, kAll = kNames + kWords;

TaskBatch twice(Dice& dice, Index count) {
  Ids tokens, answers;
  for (Index b = 0; b < count; ++b) {
    Ids word(static_cast<std::size_t>(kNames));
    for (Index& each : word) each = kNames + dice(kWords);
    for (Index round = 0; round < 2; ++round) {
      for (const Index name : dice.order(kNames)) {
        tokens.push_back(name);
        answers.push_back(round == 0 ? -100 : word[static_cast<std::size_t>(name)]);
        tokens.push_back(word[static_cast<std::size_t>(name)]);
        answers.push_back(-100);
      }
    }
  }
  return {{ids(tokens, {count, 2 * kPairs})}, ids(answers, {count * 2 * kPairs})};
}

class Model : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", 2 * kAll, kWidth);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kAll);
  PointerSentinel& point = child<PointerSentinel>("point", kWidth);

  // Each token beside the one before it.
  Tensor states(const Tensor& tokens) const {
    const Tensor x = one_hot(tokens, kAll, DType::f32);
    const Tensor before = concat({zeros({x.size(0), 1, kAll}), narrow(x, 1, 0, x.size(1) - 1)}, 1);
    return tanh(in(concat({x, before}, -1)));
  }
  Tensor logs(const Tensor& p) const { return reshape(log(p + 1e-6), {-1, kAll}); }
};

TEST(TasksOfRetrieval, ACacheAndASentinelRememberTheWordsOfAText) {
  manual_seed(3);
  Model cached, pointing, without;
  // The cache learns nothing; states learn to be alike where the same word follows.
  const double by_cache = learnt(
      "neural cache", cached, twice,
      [&](const auto& x) {
        const Tensor h = cached.states(x[0]);
        const Index T = x[0].size(1);
        const Tensor next = concat({narrow(x[0], 1, 1, T - 1), narrow(x[0], 1, T - 1, 1)}, 1);
        return cached.logs(
            neural_cache(h, softmax(cached.out(h), -1), next, {.theta = 2, .lambda = 0.5}));
      },
      400, 0.01);
  const double by_sentinel = learnt(
      "pointer sentinel", pointing, twice,
      [&](const auto& x) {
        const Tensor h = pointing.states(x[0]);
        return pointing.logs(pointing.point(h, softmax(pointing.out(h), -1), x[0]).distribution);
      },
      400, 0.01);
  const double guessed = learnt(
      "  without: the vocabulary alone", without, twice,
      [&](const auto& x) { return without.logs(softmax(without.out(without.states(x[0])), -1)); },
      400, 0.01);
  EXPECT_GT(by_cache, 0.9);
  EXPECT_GT(by_sentinel, 0.9);
  EXPECT_LT(guessed, 0.4);
}

// People go to places; where is one of them now? In any order, the facts do not say.
constexpr Index kFolk = 3, kPlaces = 4, kFacts = 7;

TaskBatch moves(Dice& dice, Index count, bool in_order) {
  Ids who, where, questions, answers;
  for (Index b = 0; b < count; ++b) {
    Ids now(static_cast<std::size_t>(kFolk)), people, places;
    for (Index i = 0; i < kFacts; ++i) {
      people.push_back(i < kFolk ? i : dice(kFolk));
      places.push_back(dice(kPlaces));
      now[static_cast<std::size_t>(people.back())] = places.back();
    }
    const Ids shuffled = dice.order(kFacts);
    for (Index i = 0; i < kFacts; ++i) {
      const auto at =
          static_cast<std::size_t>(in_order ? i : shuffled[static_cast<std::size_t>(i)]);
      who.push_back(people[at]);
      where.push_back(places[at]);
    }
    questions.push_back(dice(kFolk));
    answers.push_back(now[static_cast<std::size_t>(questions.back())]);
  }
  const Shape shape{count, kFacts};
  return {{concat({one_hot(ids(who, shape), kFolk, DType::f32),
                   one_hot(ids(where, shape), kPlaces, DType::f32)},
                  -1),
           one_hot(ids(questions, {count}), kFolk, DType::f32)},
          ids(answers, {count})};
}

class Reader : public nn::Module {
 public:
  nn::Linear& fact = child<nn::Linear>("fact", kFolk + kPlaces, kWidth);
  nn::Linear& question = child<nn::Linear>("question", kFolk, kWidth);
  DynamicMemory& memory =
      child<DynamicMemory>("memory", DynamicMemoryOptions{.width = kWidth, .hops = 1});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kPlaces);

  Tensor operator()(const std::vector<Tensor>& x) const {
    return out(memory(tanh(fact(x[0])), tanh(question(x[1]))).memory);
  }
};

TEST(TasksOfRetrieval, EpisodesKeepTheOrderOfFacts) {
  double figures[2];
  for (const bool in_order : {true, false}) {
    manual_seed(4);
    Reader made;
    figures[in_order ? 1 : 0] = learnt(
        in_order ? "dynamic memory" : "  without: facts in any order", made,
        [in_order](Dice& dice, Index count) { return moves(dice, count, in_order); },
        [&](const auto& x) { return made(x); }, 800, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.75);
}

}  // namespace
}  // namespace heed::attention
