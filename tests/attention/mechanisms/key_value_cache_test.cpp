#include "../../../attention/mechanisms/key_value_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/multi_head.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/shape.h"
#include "../../../core/allocator.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"

namespace heed::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

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

TEST(KeyValueCache, RefusesAnotherBatchAndGradients) {
  KeyValueCache cache;
  cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 7}));
  EXPECT_THAT(
      [&] {
        cache.append(zeros({4, 3, 1, 5}), zeros({4, 3, 1, 7}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("keys are f32[4, 3, 1, 5], the cache holds")));
  EXPECT_THAT(
      [&] {
        cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 5}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("values are f32[2, 3, 1, 5]")));
  EXPECT_THAT(
      [&] {
        cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 2, 7}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("differ in rows or steps")));
  EXPECT_THAT(
      [&] {
        cache.append(zeros({2, 3, 5}), zeros({2, 3, 7}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("must be [B, H, T, D]")));
  EXPECT_THAT(
      [&] {
        cache.append(zeros({2, 3, 1, 5}, DType::f64), zeros({2, 3, 1, 7}, DType::f64));
      },
      ThrowsMessage<DTypeError>(HasSubstr("keys are f64")));
  Tensor leaf = zeros({2, 3, 1, 5});
  leaf.set_requires_grad();
  EXPECT_THAT(
      [&] {
        cache.append(leaf, zeros({2, 3, 1, 7}));
      },
      ThrowsMessage<GradError>(HasSubstr("decode under NoGrad")));
  EXPECT_EQ(cache.length(), 1);
}

}  // namespace
}  // namespace heed::attention
