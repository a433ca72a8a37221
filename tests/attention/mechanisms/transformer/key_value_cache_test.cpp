#include "../../../../attention/mechanisms/transformer/key_value_cache.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/positions/rotary.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/allocator.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::attention {
namespace {

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

TEST(KeyValueCache, HoldsWhatWasAppended) {
  manual_seed(3);
  KeyValueCache cache;
  std::vector<Tensor> keys, values;
  for (Index t = 0; t < 37; ++t) {  // beyond the first capacities
    keys.push_back(randn({2, 3, 1 + t % 2, 5}));
    values.push_back(randn({2, 3, 1 + t % 2, 7}));
    cache.append(keys.back(), values.back());
  }
  EXPECT_EQ(cache.length(), 37 + 18);
  EXPECT_EQ(numbers(cache.keys()), numbers(concat(keys, 2)));
  EXPECT_EQ(numbers(cache.values()), numbers(concat(values, 2)));
  cache.clear();
  EXPECT_EQ(cache.length(), 0);
  cache.append(keys[0], keys[0]);
  EXPECT_EQ(numbers(cache.values()), numbers(keys[0]));
}

// Counts, not times: a step of 4,096 takes memory for itself alone, and the past is moved only
// where the cache doubles. The keys of all steps are 1 MB, their block of scores 64 MB.
TEST(KeyValueCache, AStepMakesNothingOfTheSizeOfThePast) {
  constexpr Index kSteps = 4096, kWidth = 64;
  constexpr std::int64_t kRoom = 256 << 10;
  const NoGrad off;
  for (const Index kv_heads : {4, 2}) {
    const MultiHead attend({.width = kWidth, .heads = 4, .kv_heads = kv_heads, .rotary = true});
    const Tensor tokens = randn({1, kSteps, kWidth});
    KeyValueCache cache;
    const auto step = [&](Index t) {
      attend(narrow(tokens, 1, t, 1), {.mask = Mask::causal()}, &cache);
    };
    Index moves = 0;
    std::int64_t held = memory_stats().live_bytes;
    for (Index t = 0; t < kSteps; ++t) {
      const bool full = cache.length() > 0 && (cache.length() & (cache.length() - 1)) == 0;
      if (t % 1000 == 999 && !full) {
        release_cached_memory();
        set_memory_limit(memory_stats().reserved_bytes + kRoom);
      }
      EXPECT_NO_THROW(step(t)) << t;
      set_memory_limit(0);
      const std::int64_t now = memory_stats().live_bytes;
      moves += now != held;
      held = now;
    }
    EXPECT_EQ(moves, 9);  // 16, 32, .., 4,096 steps
    EXPECT_EQ(cache.length(), kSteps);
    EXPECT_EQ(cache.keys().shape(), (Shape{1, kv_heads, kSteps, 16}));
  }
}

TEST(KeyValueCache, CarriesOnWithTheRowsOfABeam) {
  manual_seed(5);
  KeyValueCache cache;
  const Tensor keys = randn({3, 2, 1, 5}), values = randn({3, 2, 1, 7});
  cache.append(keys, values);
  cache.reorder(Tensor(Array::from<std::int64_t>({2, 0, 2, 1}, {4})));
  const auto row = [](const Tensor& x, Index r) { return narrow(x, 0, r, 1); };
  EXPECT_EQ(numbers(cache.keys()),
            numbers(concat({row(keys, 2), row(keys, 0), row(keys, 2), row(keys, 1)}, 0)));
  const Tensor next = randn({4, 2, 1, 5});
  cache.append(next, randn({4, 2, 1, 7}));
  EXPECT_EQ(numbers(narrow(cache.keys(), 2, 1, 1)), numbers(next));
}

// What a rolling cache is to hold, as a list of steps.
struct Steps {
  KeyValueCacheOptions options;
  std::vector<Tensor> keys = {}, values = {};  // [B, H, 1, D]
  std::vector<std::int64_t> positions = {};
  std::int64_t seen = 0;

  void append(const Tensor& k, const Tensor& v) {
    for (Index t = 0; t < k.size(2); ++t) {
      keys.push_back(narrow(k, 2, t, 1));
      values.push_back(narrow(v, 2, t, 1));
      positions.push_back(seen++);
      if (options.window == 0) continue;
      if (static_cast<Index>(keys.size()) <= options.sinks + options.window) continue;
      keys.erase(keys.begin() + options.sinks);
      values.erase(values.begin() + options.sinks);
      positions.erase(positions.begin() + options.sinks);
    }
  }

  void reorder(const Tensor& rows) {
    for (Tensor& k : keys) k = index_select(k, 0, rows);
    for (Tensor& v : values) v = index_select(v, 0, rows);
  }
};

TEST(KeyValueCache, RollsAsAListOfStepsWould) {
  manual_seed(11);
  Generator draws(17);
  const auto below = [&](Index n) {
    return static_cast<Index>(rand({1}, DType::f64, draws).item() * static_cast<double>(n));
  };
  const std::vector<KeyValueCacheOptions> all{{4, 13}, {0, 7}, {1, 1}, {11, 3}, {5, 40}};
  for (const KeyValueCacheOptions& options : all) {
    KeyValueCache cache(options);
    Steps steps;
    steps.options = options;
    Index B = 2;
    for (int turn = 0; turn < 150; ++turn) {
      const Index T = below(10) == 0 ? below(71) : below(4);
      const Tensor k = randn({B, 3, T, 5}), v = randn({B, 3, T, 7});
      cache.append(k, v);
      steps.append(k, v);
      if (below(10) == 0) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(1 + below(3)));
        for (std::int64_t& row : rows) row = below(B);
        cache.reorder(Tensor(Array::from(rows)));
        steps.reorder(Tensor(Array::from(rows)));
        B = static_cast<Index>(rows.size());
      }
      ASSERT_EQ(cache.seen(), steps.seen);
      ASSERT_EQ(cache.length(), static_cast<Index>(steps.keys.size()));
      ASSERT_EQ(cache.positions().array().to_vector<std::int64_t>(), steps.positions);
      ASSERT_EQ(cache.keys().shape(), (Shape{B, 3, cache.length(), 5}));
      if (steps.keys.empty()) continue;
      ASSERT_EQ(numbers(cache.keys()), numbers(concat(steps.keys, 2))) << turn;
      ASSERT_EQ(numbers(cache.values()), numbers(concat(steps.values, 2))) << turn;
    }
    cache.clear();
    EXPECT_EQ(cache.seen(), 0);
    EXPECT_EQ(cache.length(), 0);
    EXPECT_EQ(cache.options().window, options.window);
    cache.append(randn({2, 3, 97, 5}), randn({2, 3, 97, 7}));  // far more than there is room for
    EXPECT_EQ(cache.length(), options.sinks + options.window);
    EXPECT_EQ(cache.positions().array().to_vector<std::int64_t>().back(), 96);
  }
}

// Copies share what they held together, and nothing of what came after.
TEST(KeyValueCache, CopiesGoTheirOwnWay) {
  manual_seed(19);
  Generator draws(23);
  const auto below = [&](Index n) {
    return static_cast<Index>(rand({1}, DType::f64, draws).item() * static_cast<double>(n));
  };
  for (const KeyValueCacheOptions& options :
       std::vector<KeyValueCacheOptions>{{0, 0}, {0, 7}, {2, 5}, {5, 3}}) {
    std::vector<std::pair<KeyValueCache, Steps>> all;
    for (int i = 0; i < 3; ++i) {
      all.emplace_back(KeyValueCache(options), Steps{.options = options});
    }
    for (int turn = 0; turn < 200; ++turn) {
      auto& from = all[static_cast<std::size_t>(below(3))];
      auto& to = all[static_cast<std::size_t>(below(3))];
      if (&from != &to && below(3) == 0) to = from;
      const Index T = below(4);
      const Tensor k = randn({2, 3, T, 5}), v = randn({2, 3, T, 7});
      EXPECT_LE(to.first.length_after(T), to.first.length() + T);
      const Index after = to.first.length_after(T);
      to.first.append(k, v);
      to.second.append(k, v);
      ASSERT_EQ(to.first.length(), after);
      for (const auto& [cache, steps] : all) {
        ASSERT_EQ(cache.seen(), steps.seen);
        if (steps.keys.empty()) continue;
        ASSERT_EQ(numbers(cache.keys()), numbers(concat(steps.keys, 2))) << turn;
        ASSERT_EQ(numbers(cache.values()), numbers(concat(steps.values, 2))) << turn;
      }
    }
  }
}

TEST(KeyValueCache, KnowsWhereItsStepsStood) {
  KeyValueCache cache({.sinks = 2, .window = 3});
  EXPECT_EQ(cache.positions().shape(), Shape{0});
  const Tensor step = zeros({1, 1, 1, 2});
  for (int t = 0; t < 11; ++t) cache.append(step, step);
  EXPECT_EQ(cache.positions().array().to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 8, 9, 10}));
  KeyValueCache all;
  for (int t = 0; t < 3; ++t) all.append(step, step);
  EXPECT_EQ(all.seen(), 3);
  EXPECT_EQ(all.positions().array().to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 2}));
}

// The sinks go along with the window, and all is moved back only once in as many steps as are held.
TEST(KeyValueCache, ALongRunHoldsMemoryFlat) {
  constexpr Index kHeld = 4 + 97;
  KeyValueCache cache({.sinks = 4, .window = kHeld - 4});
  const auto at = [&] { return cache.keys().array().data<float>(); };
  const Tensor keys = randn({2, 3, 1, 5}), values = randn({2, 3, 1, 7});
  for (Index t = 0; t < 3 * kHeld; ++t) cache.append(keys, values);
  const std::int64_t live = memory_stats().live_bytes;
  const std::int64_t reserved = memory_stats().reserved_bytes;
  Index moves = 0;
  const float* before = at();
  for (Index t = 0; t < 100 * kHeld; ++t) {
    cache.append(keys, values);
    ASSERT_EQ(cache.length(), kHeld);
    if (at() != before + 5) ++moves;
    before = at();
  }
  EXPECT_LE(moves, 101);
  EXPECT_GE(moves, 90);
  EXPECT_EQ(memory_stats().live_bytes, live);
  EXPECT_EQ(memory_stats().reserved_bytes, reserved);
  EXPECT_EQ(cache.seen(), 103 * kHeld);
}

TEST(KeyValueCache, AWindowOfOneStepHoldsMemoryFlat) {
  KeyValueCache cache({.window = 1});
  const Tensor step = zeros({2, 3, 1, 5});
  for (int t = 0; t < 50; ++t) cache.append(step, step);
  const std::int64_t live = memory_stats().live_bytes;
  for (int t = 0; t < 1000; ++t) cache.append(step, step);
  EXPECT_EQ(memory_stats().live_bytes, live);
  EXPECT_EQ(cache.length(), 1);
}

// What a window slides over is no longer what a backward pass wants.
TEST(KeyValueCache, WhatABackwardPassWantsIsNotWrittenOverUnseen) {
  KeyValueCache cache({.sinks = 1, .window = 2});
  cache.append(randn({2, 3, 3, 5}), randn({2, 3, 3, 7}));
  const Tensor query = randn({2, 3, 1, 5}).set_requires_grad();
  const Tensor scores = sum(matmul(query, transpose(cache.keys(), 2, 3)));
  cache.append(randn({2, 3, 1, 5}), randn({2, 3, 1, 7}));
  EXPECT_ERROR_WITH(GradError, "it was written in place since", scores.backward());
}

// The way of StreamingLLM: positions are those within the cache, so that what a step sees does not
// depend on how much came before.
TEST(KeyValueCache, KeysAreTurnedByTheirPlaceInTheCache) {
  manual_seed(13);
  const Tensor keys = randn({1, 2, 20, 6}, DType::f64);
  const auto scores_after = [&](Index between) {
    KeyValueCache cache({.sinks = 2, .window = 5});
    cache.append(narrow(keys, 2, 0, 2), narrow(keys, 2, 0, 2));
    for (Index t = 0; t < between; ++t) {
      cache.append(narrow(keys, 2, 2 + t, 1), narrow(keys, 2, 2 + t, 1));
    }
    cache.append(narrow(keys, 2, 15, 5), narrow(keys, 2, 15, 5));
    const Tensor query = rotary(narrow(keys, 2, 7, 1), cache.length() - 1);
    return matmul(query, transpose(rotary(cache.keys()), 2, 3)).array().to_vector<double>();
  };
  EXPECT_EQ(scores_after(0), scores_after(1));
  EXPECT_EQ(scores_after(0), scores_after(13));
}

TEST(KeyValueCache, MayBeGivenWhatItHolds) {
  manual_seed(17);
  KeyValueCache cache({.sinks = 2, .window = 7});
  const Tensor keys = randn({2, 3, 31, 5}), values = randn({2, 3, 31, 7});
  cache.append(keys, values);
  const Tensor held_keys = clone(cache.keys()), held_values = clone(cache.values());
  cache.append(cache.keys(), cache.values());
  const auto last = [](const Tensor& x) { return narrow(x, 2, x.size(2) - 7, 7); };
  EXPECT_EQ(numbers(narrow(cache.keys(), 2, 0, 2)), numbers(narrow(keys, 2, 0, 2)));
  EXPECT_EQ(numbers(last(cache.keys())), numbers(last(held_keys)));
  EXPECT_EQ(numbers(last(cache.values())), numbers(last(held_values)));
}

TEST(KeyValueCache, RefusesSizesThatMakeNoSense) {
  const auto refuses = [](Index sinks, Index window, const std::string& text) {
    EXPECT_ERROR_WITH(ValueError, text, KeyValueCache cache({.sinks = sinks, .window = window}));
  };
  refuses(
      -1, 5,
      "key_value_cache: sinks -1 and window 5: neither may be negative, and sinks need a window");
  refuses(3, -5, "sinks 3 and window -5");
  refuses(4, 0, "sinks 4 and window 0");
  constexpr Index kMost = std::numeric_limits<Index>::max();
  EXPECT_ERROR_WITH(ShapeError, "key_value_cache: size 4 + ",
                    KeyValueCache cache({.sinks = 4, .window = kMost}));
  KeyValueCache wide({.sinks = 4, .window = kMost - 4});  // asks for no memory yet
  wide.append(zeros({2, 3, 29, 5}), zeros({2, 3, 29, 7}));
  EXPECT_EQ(wide.length(), 29);
  // Steps that take no memory are counted in 64 bits as well.
  KeyValueCache endless;
  const Tensor many = expand(zeros({1, 0, 1, 5}), {1, 0, kMost, 5});
  EXPECT_THROW(
      {
        endless.append(many, many);
        endless.append(many, many);
      },
      ShapeError);
}

TEST(KeyValueCache, RefusesAnotherBatchAndGradients) {
  KeyValueCache cache;
  cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 7}));
  EXPECT_ERROR_WITH(ShapeError, "keys are f32[4, 3, 1, 5], the cache holds",
                    cache.append(zeros({4, 3, 1, 5}), zeros({4, 3, 1, 7})));
  EXPECT_ERROR_WITH(ShapeError, "values are f32[2, 3, 1, 5]",
                    cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 5})));
  EXPECT_ERROR_WITH(ShapeError, "differ in rows or steps",
                    cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 2, 7})));
  EXPECT_ERROR_WITH(ShapeError, "must be [B, H, T, D]",
                    cache.append(zeros({2, 3, 5}), zeros({2, 3, 7})));
  EXPECT_ERROR_WITH(DTypeError, "keys are f64",
                    cache.append(zeros({2, 3, 1, 5}, DType::f64), zeros({2, 3, 1, 7}, DType::f64)));
  Tensor leaf = zeros({2, 3, 1, 5});
  leaf.set_requires_grad();
  EXPECT_ERROR_WITH(GradError, "decode under NoGrad", cache.append(leaf, zeros({2, 3, 1, 7})));
  EXPECT_EQ(cache.length(), 1);
}

}  // namespace
}  // namespace heed::attention
