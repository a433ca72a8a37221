// Parts of today's stacks learn tasks that need them, and that their counterparts do not learn.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/transformer/mixture_of_depths.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../attention/mechanisms/transformer/native_sparse_heads.h"
#include "../../../attention/mechanisms/transformer/value_residual_heads.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kWidth = 32;

// Things and their colours, each once; the last token asks for a thing.
constexpr Index kThings = 15, kColours = 5;

TaskBatch coloured(Dice& dice, Index count) {
  Ids things, colours, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids order = dice.order(kThings);
    const Index asked = dice(kThings);
    for (const Index thing : order) {
      things.push_back(thing);
      colours.push_back(dice(kColours));
      if (thing == asked) answers.push_back(colours.back());
    }
    things.push_back(asked);
    colours.push_back(kColours);
  }
  const Shape shape{count, kThings + 1};
  return {{concat({one_hot(ids(things, shape), kThings, DType::f32),
                   one_hot(ids(colours, shape), kColours + 1, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

class Reader : public nn::Module {
 public:
  Reader(const std::shared_ptr<SelfAttention>& layer, Mask mask) : layer_(layer), mask_(mask) {}

 private:
  std::shared_ptr<SelfAttention> layer_;
  Mask mask_;

 public:
  nn::Linear& in = child<nn::Linear>("in", kThings + kColours + 1, kWidth);
  SelfAttention& attend = shared_child("attend", layer_);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  Tensor operator()(const Tensor& x) const {
    const Tensor h = in(x);
    return out(select(h + attend(h, {.mask = mask_}).context, 1, x.size(1) - 1));
  }
};

// Of 16 tokens, eight are seen in the chosen blocks, and two in the window.
TEST(TasksOfStacks, NativeSparseHeadsFindTheBlock) {
  manual_seed(1);
  Reader with(std::make_shared<NativeSparseHeads>(NativeSparseOptions{.width = kWidth,
                                                                      .heads = 2,
                                                                      .kv_heads = 1,
                                                                      .block = 2,
                                                                      .stride = 2,
                                                                      .hidden = 32,
                                                                      .selected_block = 2,
                                                                      .selected = 4,
                                                                      .initial = 0,
                                                                      .local = 1,
                                                                      .window = 2}),
              Mask::causal());
  Reader without(std::make_shared<MultiHead>(kWidth, 2), Mask::window(7, 0));
  const double found = learnt(
      "native sparse heads", with, coloured, [&](const auto& x) { return with(x[0]); }, 1500,
      0.005);
  const double guessed = learnt(
      "  without: the last eight tokens", without, coloured,
      [&](const auto& x) { return without(x[0]); }, 1500, 0.005);
  EXPECT_GT(found, 0.8);
  EXPECT_LT(guessed, 0.75);
}

// Words in any order, and at the end one of them once more, asked for by a sign: which came after
// it? The first layer, without anything beside it, looks at the word before; the second finds where
// that was the one asked for, and wants to know the word itself.
constexpr Index kWords = 8;

TaskBatch followed(Dice& dice, Index count) {
  Ids words, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids order = dice.order(kWords);
    words.insert(words.end(), order.begin(), order.end());
    const auto asked = static_cast<std::size_t>(dice(kWords - 1));
    words.push_back(order[asked]);
    words.push_back(kWords);
    answers.push_back(order[asked + 1]);
  }
  return {{one_hot(ids(words, {count, kWords + 2}), kWords + 1, DType::f32)},
          ids(answers, {count})};
}

class Bare : public nn::Module {
 public:
  Bare(const std::shared_ptr<SelfAttention>& first, const std::shared_ptr<SelfAttention>& second)
      : low_(first), high_(second) {}

 private:
  std::shared_ptr<SelfAttention> low_, high_;

 public:
  nn::Linear& in = child<nn::Linear>("in", kWords + 1, kWidth);
  SelfAttention& low = shared_child("low", low_);
  SelfAttention& high = shared_child("high", high_);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kWords);

  Tensor operator()(const Tensor& x) const {
    Terms causal{.mask = Mask::causal()};
    const Attended first = low(in(x), causal);
    causal.from_below = first.for_above;
    const Tensor seen = high(first.context, causal).context;
    return out(select(seen, 1, x.size(1) - 1));
  }
};

TEST(TasksOfStacks, ValueResidualsKnowTheWordItself) {
  manual_seed(2);
  const auto layers = value_residual({.width = kWidth, .heads = 1, .layers = 2, .rotary = true});
  const auto low = layers(0), high = layers(1);
  Bare with(low, high);
  const auto plain_layer = [] {
    return std::make_shared<MultiHead>(
        MultiHeadOptions{.width = kWidth, .heads = 1, .bias = false, .rotary = true});
  };
  const auto plain_low = plain_layer(), plain_high = plain_layer();
  Bare without(plain_low, plain_high);
  const double found = learnt(
      "value residual", with, followed, [&](const auto& x) { return with(x[0]); }, 1000, 0.005);
  const double guessed = learnt(
      "  without", without, followed, [&](const auto& x) { return without(x[0]); }, 1000, 0.005);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.75);
}

// Twelve tokens, of which one bears a mark: which colour has it?
constexpr Index kLine = 12, kMarked = 1;

TaskBatch marked(Dice& dice, Index count) {
  Ids marks, letters, colours, answers;
  for (Index b = 0; b < count; ++b) {
    Ids letter(static_cast<std::size_t>(kLine), kMarked);
    const Ids places = dice.order(kLine);
    for (Index i = 0; i < kMarked; ++i) {
      letter[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] = i;
    }
    const Index asked = dice(kMarked);
    for (const Index each : letter) {
      letters.push_back(each);
      marks.push_back(each < kMarked ? 1 : 0);
      colours.push_back(dice(kColours));
      if (each == asked) answers.push_back(colours.back());
    }
    letters.push_back(asked);
    marks.push_back(2);
    colours.push_back(kColours);
  }
  const Shape shape{count, kLine + 1};
  const auto hot = [&](const Ids& x, Index n) { return one_hot(ids(x, shape), n, DType::f32); };
  return {{concat({hot(marks, 3), hot(letters, kMarked + 1), hot(colours, kColours + 1)}, -1)},
          ids(answers, {count})};
}

TransformerOptions one_block() {
  return {.width = kWidth, .heads = 2, .hidden = 32, .dropout = 0, .pre_norm = true};
}

// Both let three tokens of 13 through their block: those that a router chooses, or the last ones.
TEST(TasksOfStacks, MixtureOfDepthsChoosesTheTokens) {
  static constexpr Index kIn = 3 + kMarked + 1 + kColours + 1;
  struct Model : nn::Module {
    nn::Linear& in = child<nn::Linear>("in", kIn, kWidth);
    MixtureOfDepths& block = child<MixtureOfDepths>(
        "block", MixtureOfDepthsOptions{.block = one_block(), .capacity = 0.25});
    nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);
  };
  manual_seed(3);
  Model with;
  const double found = learnt(
      "mixture of depths", with, marked,
      [&](const auto& x) {
        return with.out(mean(with.block(with.in(x[0]), {}, true).output, {1}));
      },
      1000, 0.005);
  manual_seed(3);
  Model without;
  const double guessed = learnt(
      "  without: the last three", without, marked,
      [&](const auto& x) {
        const Tensor h = without.in(x[0]);
        const Tensor last = without.block.block(narrow(h, 1, kLine - 2, 3)).context;
        return without.out(mean(concat({narrow(h, 1, 0, kLine - 2), last}, 1), {1}));
      },
      1000, 0.005);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.7);
}

}  // namespace
}  // namespace heed::attention
