// Parts of today's decoders learn tasks that need them, and that their counterparts, of about the
// same size and after the same steps, do not learn.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/transformer/differential_heads.h"
#include "../../../attention/mechanisms/transformer/forgetting_heads.h"
#include "../../../attention/mechanisms/transformer/latent_heads.h"
#include "../../../attention/mechanisms/transformer/mixture_of_experts.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../attention/mechanisms/transformer/multi_token.h"
#include "../../../attention/mechanisms/transformer/transformer_xl.h"
#include "../../../attention/scores/contextual.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/embedding.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kWidth = 16;

// Tokens, a layer beside them, and what is read off.
class Reader : public nn::Module {
 public:
  Reader(Index width, const std::shared_ptr<SelfAttention>& layer, Index answers)
      : width_(width), answers_(answers), layer_(layer) {}

 private:
  Index width_, answers_;
  std::shared_ptr<SelfAttention> layer_;

 public:
  nn::Linear& in = child<nn::Linear>("in", width_, kWidth);
  SelfAttention& attend = shared_child("attend", layer_);
  nn::Linear& out = child<nn::Linear>("out", kWidth, answers_);

  // Of every token: [B, T, answers].
  Tensor every(const Tensor& x) const {
    const Tensor h = in(x);
    return out(h + attend(h, {.mask = Mask::causal()}).context);
  }
  Tensor last(const Tensor& x) const { return select(every(x), 1, x.size(1) - 1); }
};

std::shared_ptr<MultiHead> plain_heads() {
  return std::make_shared<MultiHead>(MultiHeadOptions{.width = kWidth, .heads = 2});
}

// Names get values, again and again; the last token asks for one. Which value has it now?
constexpr Index kNames = 3, kValues = 4, kTold = 9;

TaskBatch told(Dice& dice, Index count) {
  Ids names, values, asks, answers;
  for (Index b = 0; b < count; ++b) {
    Ids now(static_cast<std::size_t>(kNames), -1);
    for (Index t = 0; t < kTold; ++t) {
      const Index name = t < kNames ? t : dice(kNames);
      now[static_cast<std::size_t>(name)] = dice(kValues);
      names.push_back(name);
      values.push_back(now[static_cast<std::size_t>(name)]);
      asks.push_back(0);
    }
    names.push_back(dice(kNames));
    values.push_back(kValues);
    asks.push_back(1);
    answers.push_back(now[static_cast<std::size_t>(names.back())]);
  }
  const Shape shape{count, kTold + 1};
  const auto hot = [&](const Ids& x, Index n) { return one_hot(ids(x, shape), n, DType::f32); };
  return {{concat({hot(names, kNames), hot(values, kValues + 1), hot(asks, 2)}, -1)},
          ids(answers, {count})};
}

TEST(TasksOfLayers, ForgettingHeadsKnowWhatHoldsNow) {
  manual_seed(1);
  constexpr Index kIn = kNames + kValues + 1 + 2;
  Reader with(
      kIn, std::make_shared<ForgettingHeads>(ForgettingHeadsOptions{.width = kWidth, .heads = 2}),
      kValues);
  Reader without(kIn, plain_heads(), kValues);
  const double found = learnt(
      "forgetting heads", with, told, [&](const auto& x) { return with.last(x[0]); }, 500, 0.01);
  const double guessed = learnt(
      "  without: nothing is forgotten", without, told,
      [&](const auto& x) { return without.last(x[0]); }, 500, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.75);
}

// Colours, some of which bear a mark: which colour has the third mark from the end?
constexpr Index kColours = 4, kLine = 12, kBack = 3;

TaskBatch counted(Dice& dice, Index count) {
  Ids colours, marks, answers;
  for (Index b = 0; b < count; ++b) {
    Ids own(static_cast<std::size_t>(kLine), 0), marked;
    const Ids places = dice.order(kLine);
    const Index n = kBack + dice(4);
    for (Index i = 0; i < n; ++i)
      own[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] = 1;
    for (Index t = 0; t < kLine; ++t) {
      colours.push_back(dice(kColours));
      marks.push_back(own[static_cast<std::size_t>(t)]);
      if (marks.back() == 1) marked.push_back(colours.back());
    }
    answers.push_back(marked[marked.size() - kBack]);
  }
  const Shape shape{count, kLine};
  return {{concat({one_hot(ids(colours, shape), kColours, DType::f32),
                   one_hot(ids(marks, shape), 2, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

TEST(TasksOfLayers, ContextualPositionsCountMarks) {
  manual_seed(2);
  Reader with(kColours + 2,
              std::make_shared<MultiHead>(MultiHeadOptions{
                  .width = kWidth,
                  .heads = 2,
                  .score = std::make_shared<ContextualPositions>(kWidth / 2, kBack + 3)}),
              kColours);
  Reader without(kColours + 2,
                 std::make_shared<MultiHead>(MultiHeadOptions{
                     .width = kWidth,
                     .heads = 2,
                     .relative = std::make_shared<RelativePositions>(
                         RelativeOptions{.key_width = kWidth / 2, .clip = kLine})}),
                 kColours);
  const double found = learnt(
      "contextual positions", with, counted, [&](const auto& x) { return with.last(x[0]); }, 800,
      0.01);
  const double guessed = learnt(
      "  without: positions by distance", without, counted,
      [&](const auto& x) { return without.last(x[0]); }, 800, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.75);
}

// Which token stands three places back?
constexpr Index kTokens = 6, kSteps = 9;

TaskBatch behind(Dice& dice, Index count) {
  Ids tokens, answers;
  for (Index b = 0; b < count; ++b) {
    for (Index t = 0; t < kSteps; ++t) {
      tokens.push_back(dice(kTokens));
      answers.push_back(t < kBack ? -100 : tokens[tokens.size() - 1 - kBack]);
    }
  }
  return {{one_hot(ids(tokens, {count, kSteps}), kTokens, DType::f32)},
          ids(answers, {count * kSteps})};
}

TEST(TasksOfLayers, LatentHeadsKnowPlacesByTheirRotaryPart) {
  double figures[2];
  for (const bool rotary : {true, false}) {
    manual_seed(3);
    Reader made(kTokens,
                std::make_shared<LatentHeads>(LatentHeadsOptions{.width = kWidth,
                                                                 .heads = 2,
                                                                 .latent = 8,
                                                                 .query_latent = 8,
                                                                 .head_width = rotary ? 8 : 16,
                                                                 .rotary_width = rotary ? 8 : 0,
                                                                 .value_width = 8}),
                kTokens);
    figures[rotary ? 1 : 0] = learnt(
        rotary ? "latent heads" : "  without: no rotary part", made, behind,
        [&](const auto& x) {
          return reshape(made.every(x[0]), {-1, kTokens});
        },
        600, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.5);
}

// Which kind stands in the first half of the tokens more often than in the second? Others stand as
// often in both.
constexpr Index kKinds = 5, kHalf = 5;

TaskBatch more(Dice& dice, Index count) {
  Ids kinds, halves, answers;
  for (Index b = 0; b < count; ++b) {
    Ids both(static_cast<std::size_t>(kHalf - 1));
    for (Index& kind : both) kind = dice(kKinds);
    const Index first = dice(kKinds), second = (first + 1 + dice(kKinds - 1)) % kKinds;
    for (Index half = 0; half < 2; ++half) {
      Ids own = both;
      own.push_back(half == 0 ? first : second);
      for (const Index place : dice.order(kHalf)) {
        kinds.push_back(own[static_cast<std::size_t>(place)]);
        halves.push_back(half);
      }
    }
    kinds.push_back(kKinds);  // where it is read off
    halves.push_back(2);
    answers.push_back(first);
  }
  const Shape shape{count, 2 * kHalf + 1};
  return {{concat({one_hot(ids(kinds, shape), kKinds + 1, DType::f32),
                   one_hot(ids(halves, shape), 3, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

TEST(TasksOfLayers, DifferentialHeadsSubtract) {
  double v[2];
  for (const auto kind : {DifferentialKind::v1, DifferentialKind::v2}) {
    manual_seed(4);
    const bool v1 = kind == DifferentialKind::v1;
    Reader with(kKinds + 4,
                std::make_shared<DifferentialHeads>(
                    DifferentialHeadsOptions{.kind = kind, .width = kWidth, .heads = 1}),
                kKinds);
    v[v1 ? 0 : 1] = learnt(
        v1 ? "differential heads, v1" : "differential heads, v2", with, more,
        [&](const auto& x) { return with.last(x[0]); }, 600, 0.01);
  }
  manual_seed(4);
  Reader without(kKinds + 4,
                 std::make_shared<MultiHead>(MultiHeadOptions{.width = kWidth, .heads = 1}),
                 kKinds);
  const double guessed = learnt(
      "  without: one softmax", without, more, [&](const auto& x) { return without.last(x[0]); },
      600, 0.01);
  EXPECT_GT(v[0], 0.9);
  EXPECT_GT(v[1], 0.9);
  EXPECT_LT(guessed, 0.75);
}

// A token in the first segment bears a mark; it is asked for at the end of the second.
constexpr Index kSegment = 4;

TaskBatch long_ago(Dice& dice, Index count) {
  Ids tokens, marks, answers;
  for (Index b = 0; b < count; ++b) {
    const Index meant = dice(kSegment);
    for (Index t = 0; t < 2 * kSegment; ++t) {
      tokens.push_back(dice(kTokens));
      marks.push_back(t == meant ? 1 : 0);
      if (t == meant) answers.push_back(tokens.back());
    }
  }
  const Shape shape{count, 2 * kSegment};
  return {{concat({one_hot(ids(tokens, shape), kTokens, DType::f32),
                   one_hot(ids(marks, shape), 2, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

class Segments : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", kTokens + 2, kWidth);
  TransformerXL& read = child<TransformerXL>(
      "read", TransformerXLOptions{
                  .layers = 2, .width = kWidth, .heads = 2, .hidden = 32, .memory = kSegment});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kTokens);

  Tensor operator()(const Tensor& x, bool remembers) const {
    TransformerXL::State state;
    Tensor last;
    for (Index segment = 0; segment < 2; ++segment) {
      if (!remembers) state = {};
      last = read(in(narrow(x, 1, segment * kSegment, kSegment)), state).output;
    }
    return out(select(last, 1, kSegment - 1));
  }
};

TEST(TasksOfLayers, TransformerXlRemembersTheLastSegment) {
  double figures[2];
  for (const bool remembers : {true, false}) {
    manual_seed(5);
    Segments made;
    figures[remembers ? 1 : 0] = learnt(
        remembers ? "Transformer-XL" : "  without: each segment by itself", made, long_ago,
        [&](const auto& x) { return made(x[0], remembers); }, 600, 0.005);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.4);
}

// Each of eight books has words of its own for eight things.
constexpr Index kBooks = 8, kThings = 8;

TaskBatch words(Dice& dice, Index count) {
  Dice printed(17);  // the same books each time
  std::vector<Ids> book;
  for (Index i = 0; i < kBooks; ++i) book.push_back(printed.order(kThings));
  Ids books, things, answers;
  for (Index b = 0; b < count; ++b) {
    books.push_back(dice(kBooks));
    things.push_back(dice(kThings));
    answers.push_back(
        book[static_cast<std::size_t>(books.back())][static_cast<std::size_t>(things.back())]);
  }
  return {{concat({one_hot(ids(books, {count}), kBooks, DType::f32),
                   one_hot(ids(things, {count}), kThings, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

class Bookshelf : public nn::Module {
 public:
  explicit Bookshelf(Index experts) : experts_(experts) {}

 private:
  Index experts_;

 public:
  MixtureOfExperts& mix = child<MixtureOfExperts>(
      "mix", MixtureOfExpertsOptions{.width = kBooks + kThings,
                                     .hidden = 1,
                                     .experts = experts_,
                                     .chosen = experts_ == 1 ? Index{1} : Index{2}});
  nn::Linear& out = child<nn::Linear>("out", kBooks + kThings, kThings);
};

TEST(TasksOfLayers, ExpertsKnowABookEach) {
  double figures[2];
  for (const Index experts : {16, 1}) {
    manual_seed(6);
    Bookshelf made(experts);
    figures[experts == 1 ? 0 : 1] = learnt(
        experts == 1 ? "  without: one of them" : "16 experts, two for each", made, words,
        [&](const auto& x) {
          const MixtureOutput seen = made.mix(x[0]);
          return made.out(seen.output) + 0 * seen.balance;
        },
        1000, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.8);
}

// Every other token follows from the one before it, which is drawn: from the state before both, it
// can be foretold by who is told that one.
TaskBatch pairs(Dice& dice, Index count) {
  Ids tokens, answers;
  for (Index b = 0; b < count; ++b) {
    for (Index t = 0; t < kSteps; ++t) {
      tokens.push_back(t % 2 == 0 ? dice(kTokens) : (5 * tokens.back() + 2) % kTokens);
    }
    const Index* const own = tokens.data() + b * kSteps;
    for (Index t = 0; t + 2 < kSteps; ++t) answers.push_back(t % 2 == 1 ? own[t + 2] : -100);
  }
  return {{ids(tokens, {count, kSteps})}, ids(answers, {count * (kSteps - 2)})};
}

TEST(TasksOfLayers, MultiTokenPredictionGoesByTheTokenBetween) {
  double figures[2];
  for (const bool told_it : {true, false}) {
    manual_seed(7);
    struct Model : nn::Module {
      nn::Embedding& embed = child<nn::Embedding>("embed", kTokens, kWidth);
      TransformerEncoder& read = child<TransformerEncoder>("read", 1, options());
      MultiTokenPrediction& next = child<MultiTokenPrediction>(
          "next", MultiTokenOptions{.depth = 1, .transformer = options()});
      nn::Linear& out = child<nn::Linear>("out", kWidth, kTokens);
      static TransformerOptions options() {
        return {.width = kWidth, .heads = 2, .hidden = 32, .dropout = 0};
      }
    } made;
    figures[told_it ? 1 : 0] = learnt(
        told_it ? "multi-token prediction" : "  without: from the state alone", made, pairs,
        [&](const auto& x) {
          const Tensor e = made.embed(x[0]);
          const Tensor h = made.read(e, {.mask = Mask::causal()}).output;
          const Tensor h1 = told_it ? made.next(h, e).foretold[0] : narrow(h, 1, 0, kSteps - 1);
          return reshape(made.out(narrow(h1, 1, 0, kSteps - 2)), {-1, kTokens});
        },
        300, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.6);
}

}  // namespace
}  // namespace heed::attention
