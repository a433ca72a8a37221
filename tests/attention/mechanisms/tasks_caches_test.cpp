// A rolling cache goes on for ever: what was learnt with a window is written with as much memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "../../../attention/masks/rules.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Things come round and round in an order of their own, each time with another colour, and every
// step asks for one of them: which colour has it now? A window holds each of them once; farther
// back stand the colours that it had before. A first token, which is nothing, is the sink.
constexpr Index kThings = 7, kColours = 4, kWidth = 24, kSinks = 1, kTaught = 5 * kThings;

TaskBatch turning(Dice& dice, Index count, Index steps) {
  Ids things, colours, asked, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids order = dice.order(kThings);
    Ids now(static_cast<std::size_t>(kThings), -100);
    things.push_back(kThings);
    colours.push_back(kColours);
    asked.push_back(kThings);
    answers.push_back(-100);
    for (Index t = 0; t < steps; ++t) {
      things.push_back(order[static_cast<std::size_t>(t % kThings)]);
      colours.push_back(dice(kColours));
      now[static_cast<std::size_t>(things.back())] = colours.back();
      asked.push_back(dice(kThings));
      answers.push_back(now[static_cast<std::size_t>(asked.back())]);
    }
  }
  const Shape shape{count, steps + 1};
  const auto hot = [&](const Ids& x, Index n) { return one_hot(ids(x, shape), n, DType::f32); };
  return {
      {concat({hot(things, kThings + 1), hot(colours, kColours + 1), hot(asked, kThings + 1)}, -1)},
      ids(answers, {count * (steps + 1)})};
}

class Watcher : public nn::Module {
 public:
  explicit Watcher(const Mask& mask) : mask_(mask) {}
  nn::Linear& in = child<nn::Linear>("in", kThings + kColours + kThings + 3, kWidth);
  MultiHead& attend = child<MultiHead>("attend", MultiHeadOptions{.width = kWidth, .heads = 2});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kColours);

  // [B, T, ..] -> [B, T, colours]
  Tensor operator()(const Tensor& x) const {
    const Tensor h = in(x);
    return out(h + attend(h, {.mask = mask_}).context);
  }
  // The next token [B, 1, ..], behind those that the cache holds.
  Tensor step(const Tensor& x, KeyValueCache& past) const {
    const Tensor h = in(x);
    return out(h + attend(h, {.mask = Mask::causal()}, &past).context);
  }

 private:
  Mask mask_;
};

double learnt_by(const char* what, Watcher& made) {
  return learnt(
      what, made, [](Dice& dice, Index count) { return turning(dice, count, kTaught); },
      [&](const auto& x) {
        return reshape(made(x[0]), {-1, kColours});
      },
      500, 0.01);
}

double right(const Tensor& logits, const Tensor& answers) {
  const Ids guesses = argmax(reshape(logits, {-1, kColours}), -1).array().to_vector<Index>();
  const Ids wanted = answers.array().to_vector<Index>();
  double hits = 0, all = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < 0) continue;
    hits += guesses[i] == wanted[i] ? 1 : 0;
    ++all;
  }
  return hits / all;
}

TEST(TasksOfCaches, ARollingCacheKnowsWhatHoldsNowForEver) {
  manual_seed(1);
  Watcher with(masks::window_with_sinks(kThings, kSinks));
  EXPECT_GT(learnt_by("window and sink", with), 0.95);
  manual_seed(1);
  Watcher without(Mask::causal());
  EXPECT_LT(learnt_by("  without: the whole past", without), 0.8);

  // Thirty times as far as the window reaches, token by token.
  const NoGrad off;
  constexpr Index kB = 3, kSteps = 30 * kThings;
  Dice dice(7);
  const TaskBatch far = turning(dice, kB, kSteps);
  const Tensor whole = with(far.inputs[0]);
  KeyValueCache rolling({.sinks = kSinks, .window = kThings}), all;
  std::vector<Tensor> rolled, grown;
  for (Index t = 0; t <= kSteps; ++t) {
    const Tensor now = narrow(far.inputs[0], 1, t, 1);
    rolled.push_back(with.step(now, rolling));
    EXPECT_EQ(rolling.length(), std::min(t + 1, kSinks + kThings));
    grown.push_back(without.step(now, all));
  }
  EXPECT_EQ(rolling.seen(), kSteps + 1);
  EXPECT_EQ(all.length(), kSteps + 1);
  EXPECT_LT(amax(abs(concat(rolled, 1) - whole)).item(), 1e-4);
  const double found = right(concat(rolled, 1), far.answers);
  const double guessed = right(concat(grown, 1), far.answers);
  std::printf("%-44s %5.1f %% right, the whole past %5.1f %%\n", "  thirty windows on", 100 * found,
              100 * guessed);
  EXPECT_GT(found, 0.95);
  EXPECT_LT(guessed, 0.5);
}

}  // namespace
}  // namespace heed::attention
