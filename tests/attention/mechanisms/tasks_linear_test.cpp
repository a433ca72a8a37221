// Mechanisms in linear time learn what their counterpart, of the same size and trained on the same
// batches for as many steps, does not.
#include <gtest/gtest.h>

#include <memory>

#include "../../../attention/masks/rules.h"
#include "../../../attention/mechanisms/linear/attention_free_full.h"
#include "../../../attention/mechanisms/linear/fastformer.h"
#include "../../../attention/mechanisms/linear/linear_kinds.h"
#include "../../../attention/mechanisms/linear/linformer.h"
#include "../../../attention/mechanisms/linear/luna.h"
#include "../../../attention/mechanisms/linear/nystromformer.h"
#include "../../../attention/mechanisms/linear/reformer.h"
#include "../../../attention/mechanisms/linear/routing.h"
#include "../../../attention/mechanisms/linear/sinkhorn_blocks.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kWidth = 16, kSymbols = 4;

// A mechanism between two projections, read at the last step.
class AtTheEnd : public nn::Module {
 public:
  AtTheEnd(Index features, std::shared_ptr<SelfAttention> mechanism, Mask mask, Index answers)
      : in(child<nn::Linear>("in", features, kWidth)),
        attend(shared_child("attend", mechanism)),
        out(child<nn::Linear>("out", kWidth, answers)),
        mask_(std::move(mask)) {}
  nn::Linear& in;
  SelfAttention& attend;
  nn::Linear& out;
  Tensor operator()(const Tensor& x) const {
    return out(select(attend(in(x), {.mask = mask_}).context, 1, x.size(1) - 1));
  }

 private:
  Mask mask_;
};

double taught(const std::string& what, const std::shared_ptr<SelfAttention>& mechanism,
              const Mask& mask, Index features, Index answers, const Draw& draw, int steps) {
  AtTheEnd model(features, mechanism, mask, answers);
  const auto logits = [&](const std::vector<Tensor>& x) { return model(x[0]); };
  return learnt(what.c_str(), model, draw, logits, steps, 0.01);
}

// The causal mechanism of that name, with one head.
double taught(const std::string& task, const std::string& kind, Index features, Index answers,
              const Draw& draw, int steps) {
  manual_seed(7);
  const auto made = make_linear(kind, {.width = kWidth}, 32);
  return taught(task + ": " + kind, made, Mask::causal(), features, answers, draw, steps);
}

// Rows of `features` numbers, one step after the other.
class Steps {
 public:
  Steps(Index count, Index steps, Index features)
      : x_(Array::zeros({count, steps, features}, DType::f32)) {}
  void put(Index row, Index step, Index feature) {
    x_.mutable_data<float>()[(row * x_.size(1) + step) * x_.size(2) + feature] = 1;
  }
  Tensor tensor() const { return x_; }

 private:
  Array x_;
};

// Keys get values, again and again; one is asked for.
TaskBatch overwritten(Dice& dice, Index count) {
  constexpr Index kT = 17;
  Steps x(count, kT, 2 * kSymbols);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    Ids value(kSymbols, -1);
    Index last = 0;
    for (Index t = 0; t + 1 < kT; ++t) {
      last = dice(kSymbols);
      value[static_cast<std::size_t>(last)] = dice(kSymbols);
      x.put(b, t, last);
      x.put(b, t, kSymbols + value[static_cast<std::size_t>(last)]);
    }
    Index asked = dice(kSymbols);
    while (value[static_cast<std::size_t>(asked)] < 0) asked = dice(kSymbols);
    x.put(b, kT - 1, asked);
    answers.push_back(value[static_cast<std::size_t>(asked)]);
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, TheDeltaRuleOverwrites) {
  const auto rate = [](const char* kind) {
    return taught("last value of a key", kind, 2 * kSymbols, kSymbols, overwritten, 500);
  };
  EXPECT_GT(rate("deltanet"), 0.9);
  EXPECT_GT(rate("gated-deltanet"), 0.9);
  EXPECT_LT(rate("linear"), 0.7);
}

// Symbols, and a sign that all before it counts no more; was the one asked for there since?
TaskBatch since_the_sign(Dice& dice, Index count) {
  constexpr Index kT = 20;
  Steps x(count, kT, 2 * kSymbols + 1);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    std::vector<bool> seen(kSymbols);
    for (Index t = 0; t + 1 < kT; ++t) {
      if (dice(6) == 0) {
        seen.assign(kSymbols, false);
        x.put(b, t, 2 * kSymbols);
      } else {
        const Index symbol = dice(kSymbols);
        seen[static_cast<std::size_t>(symbol)] = true;
        x.put(b, t, symbol);
      }
    }
    const Index asked = dice(kSymbols);
    x.put(b, kT - 1, kSymbols + asked);
    answers.push_back(seen[static_cast<std::size_t>(asked)] ? 1 : 0);
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, GatesForget) {
  const auto rate = [](const char* kind) {
    return taught("seen since the sign", kind, 2 * kSymbols + 1, 2, since_the_sign, 500);
  };
  for (const char* kind : {"gla", "ssd", "gated-deltanet", "rwkv6"})
    EXPECT_GT(rate(kind), 0.9) << kind;
  EXPECT_LT(rate("linear"), 0.8);
}

// Two marked symbols among others: which came later?
TaskBatch later_of_two(Dice& dice, Index count) {
  constexpr Index kT = 16;
  Steps x(count, kT, kSymbols + 1);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Ids places = dice.order(kT - 1), symbols = dice.order(kSymbols);
    for (Index t = 0; t < kT; ++t) {
      const bool first = t == places[0], second = t == places[1];
      x.put(b, t, first ? symbols[0] : second ? symbols[1] : dice(kSymbols));
      if (first || second) x.put(b, t, kSymbols);
    }
    answers.push_back(places[0] > places[1] ? symbols[0] : symbols[1]);
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, WeightsThatFallWithTheDistanceKnowTheOrder) {
  const auto rate = [](const char* kind) {
    return taught("the later of two", kind, kSymbols + 1, kSymbols, later_of_two, 500);
  };
  EXPECT_GT(rate("retnet"), 0.85);
  EXPECT_GT(rate("cosformer"), 0.75);
  EXPECT_LT(rate("linear"), 0.65);
}

// Which symbol stood four before the last?
TaskBatch four_before(Dice& dice, Index count) {
  constexpr Index kT = 12;
  Steps x(count, kT, kSymbols);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    for (Index t = 0; t < kT; ++t) {
      const Index symbol = dice(kSymbols);
      x.put(b, t, symbol);
      if (t == kT - 5) answers.push_back(symbol);
    }
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, BiasesOfPlacesFindAPlace) {
  const auto rate = [](const char* name, const AttentionFreeFullOptions& options) {
    manual_seed(7);
    return taught(std::string("four before: ") + name, std::make_shared<AttentionFreeFull>(options),
                  Mask::causal(), kSymbols, kSymbols, four_before, 500);
  };
  EXPECT_GT(rate("aft-full", {.width = kWidth, .max_length = 12}), 0.95);
  EXPECT_GT(rate("aft-full, factorised", {.width = kWidth, .max_length = 12, .rank = 8}), 0.95);
  EXPECT_GT(rate("aft-local", {.width = kWidth, .max_length = 12, .window = 6}), 0.95);
  EXPECT_LT(taught("four before", "aft", kSymbols, kSymbols, four_before, 500), 0.5);
}

// Which symbol is marked?
constexpr Index kMarkedSteps = 12;
TaskBatch marked(Dice& dice, Index count) {
  Steps x(count, kMarkedSteps, kSymbols + 1);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index place = dice(kMarkedSteps);
    for (Index t = 0; t < kMarkedSteps; ++t) {
      const Index symbol = dice(kSymbols);
      x.put(b, t, symbol);
      if (t == place) answers.push_back(symbol);
    }
    x.put(b, place, kSymbols);
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, WhatLooksBothWaysFindsTheMarkedOne) {
  using Made = std::shared_ptr<SelfAttention>;
  const auto rate = [](const std::string& name, const std::function<Made()>& make) {
    manual_seed(7);
    return taught("the marked one: " + name, make(), Mask(), kSymbols + 1, kSymbols, marked, 400);
  };
  for (const char* kind : {"linear", "performer", "aft", "cosformer"}) {
    EXPECT_GT(rate(kind, [&]() -> Made { return make_linear(kind, {.width = kWidth}, 32); }), 0.9)
        << kind;
  }
  EXPECT_GT(rate("fastformer", []() -> Made { return std::make_shared<Fastformer>(kWidth, 2); }),
            0.9);
  EXPECT_GT(rate("linformer",
                 []() -> Made {
                   return std::make_shared<Linformer>(
                       LinformerOptions{.width = kWidth, .heads = 2, .max_length = 12, .rank = 10});
                 }),
            0.9);
  EXPECT_GT(rate("nystromformer",
                 []() -> Made {
                   return std::make_shared<Nystromformer>(
                       NystromformerOptions{.width = kWidth, .heads = 2, .landmarks = 6});
                 }),
            0.9);
  EXPECT_GT(rate("luna", []() -> Made { return std::make_shared<Luna>(kWidth, 2, 4); }), 0.9);
  EXPECT_GT(rate("sinkhorn_blocks",
                 []() -> Made {
                   return std::make_shared<SinkhornBlocks>(SinkhornBlocksOptions{
                       .width = kWidth, .heads = 2, .block = 6, .max_blocks = 2});
                 }),
            0.9);
  manual_seed(7);
  WithoutAttention means(2 * (kSymbols + 1), 48, kSymbols);
  const double without = learnt(
      "the marked one: means", means, marked,
      [&](const std::vector<Tensor>& x) { return means(x[0], x[0]); }, 400, 0.01);
  EXPECT_LT(without, 0.6);
}

TEST(Tasks, CausalLunaFindsTheMarkedOne) {
  EXPECT_GT(taught("the marked one", "luna", kSymbols + 1, kSymbols, marked, 400), 0.9);
}

// Every key has a value; one is asked for at the end.
TaskBatch looked_up(Dice& dice, Index count) {
  constexpr Index kKeys = 8;
  Steps x(count, kKeys + 1, kKeys + kSymbols);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Ids keys = dice.order(kKeys);
    const Index asked = dice(kKeys);
    for (Index t = 0; t < kKeys; ++t) {
      const Index value = dice(kSymbols);
      x.put(b, t, keys[static_cast<std::size_t>(t)]);
      x.put(b, t, kKeys + value);
      if (t == asked) answers.push_back(value);
    }
    x.put(b, kKeys, keys[static_cast<std::size_t>(asked)]);
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, WhatIsAlikeMeetsInABucket) {
  const auto rate = [](const char* name, const std::shared_ptr<SelfAttention>& made) {
    return taught(std::string("the value of a key: ") + name, made, Mask(), 8 + kSymbols, kSymbols,
                  looked_up, 500);
  };
  manual_seed(7);
  EXPECT_GT(rate("reformer", std::make_shared<Reformer>(ReformerOptions{
                                 .width = kWidth, .heads = 2, .buckets = 4, .rounds = 2})),
            0.85);
  EXPECT_GT(rate("routing", std::make_shared<Routing>(
                                RoutingOptions{.width = kWidth, .heads = 2, .centroids = 3})),
            0.85);
  WithoutAttention means(2 * (8 + kSymbols), 48, kSymbols);
  const double without = learnt(
      "the value of a key: means", means, looked_up,
      [&](const std::vector<Tensor>& x) { return means(x[0], x[0]); }, 500, 0.01);
  EXPECT_LT(without, 0.6);
}

// A fact at the first place, asked for far behind it.
TaskBatch far_fact(Dice& dice, Index count) {
  constexpr Index kT = 24;
  Steps x(count, kT, 2 * kSymbols);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    answers.push_back(dice(kSymbols));
    x.put(b, 0, kSymbols + answers.back());
    for (Index t = 1; t < kT; ++t) x.put(b, t, dice(kSymbols));
  }
  return {{x.tensor()}, ids(answers, {count})};
}

TEST(Tasks, GlobalPlacesCarryFarFacts) {
  const auto rate = [](const char* name, const Mask& mask) {
    manual_seed(7);
    return taught(std::string("a far fact: ") + name, std::make_shared<MultiHead>(kWidth, 2), mask,
                  2 * kSymbols, kSymbols, far_fact, 150);
  };
  EXPECT_GT(rate("longformer", masks::longformer({.window = 3, .globals = 1, .causal = true})),
            0.95);
  Generator draws(3);
  EXPECT_GT(rate("bigbird", masks::bigbird(24, {.block = 2, .window = 1, .randoms = 0}, draws)),
            0.95);
  EXPECT_LT(rate("window", Mask::window(3, 0)), 0.4);
}

}  // namespace
}  // namespace heed::attention
