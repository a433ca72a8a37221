// Parts of today's stacks learn tasks that need them, and that their counterparts do not learn.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../attention/mechanisms/transformer/native_sparse_heads.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
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

}  // namespace
}  // namespace heed::attention
