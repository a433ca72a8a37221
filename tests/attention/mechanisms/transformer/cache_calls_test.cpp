// What self-attention does with a cache it cannot use, with one that rolls over a long call, and
// with terms that do not fit.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../../../../attention/mechanisms/linear/attention_free_full.h"
#include "../../../../attention/mechanisms/transformer/differential_heads.h"
#include "../../../../attention/mechanisms/transformer/forgetting_heads.h"
#include "../../../../attention/mechanisms/transformer/latent_heads.h"
#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../attention/mechanisms/transformer/transformer_xl.h"
#include "../../../../attention/mechanisms/transformer/value_residual_heads.h"
#include "../../../../attention/normalisers/monotonic.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kE = 6, kH = 3;
constexpr DType kF64 = DType::f64;

struct Named {
  std::string name;
  std::shared_ptr<SelfAttention> made;
};

// Without biases and rotary positions, all with a dropout of 0.
std::vector<Named> kinds() {
  manual_seed(23);
  return {
      {"multi_head", std::make_shared<MultiHead>(
                         MultiHeadOptions{.width = kE, .heads = kH, .bias = false, .dtype = kF64})},
      {"latent_heads", std::make_shared<LatentHeads>(LatentHeadsOptions{
                           .width = kE, .heads = kH, .latent = 5, .head_width = 2, .dtype = kF64})},
      {"differential_heads", std::make_shared<DifferentialHeads>(DifferentialHeadsOptions{
                                 .width = kE, .heads = kH, .dtype = kF64})},
      {"forgetting_heads", std::make_shared<ForgettingHeads>(
                               ForgettingHeadsOptions{.width = kE, .heads = kH, .dtype = kF64})},
      {"value_residual_heads",
       std::make_shared<ValueResidualHeads>(
           ValueResidualOptions{.width = kE, .heads = kH, .layers = 1, .dtype = kF64}, 0)},
      {"transformer_xl", std::make_shared<TransformerXLHeads>(
                             TransformerXLOptions{.width = kE, .heads = kH, .dtype = kF64})},
  };
}

// The last step of a call that is longer than the window, and that of as many calls.
TEST(CacheCalls, ARollingCacheTakesMoreStepsThanItHolds) {
  manual_seed(29);
  const NoGrad off;
  const MultiHead made({.width = 8, .heads = 2, .rotary = true, .dtype = kF64});
  const Tensor x = randn({kB, 10, 8}, kF64);
  const Terms causal{.mask = Mask::causal()};
  for (const Index sinks : {0, 3}) {
    KeyValueCache at_once({.sinks = sinks, .window = 4}), by_steps({.sinks = sinks, .window = 4});
    const Tensor all = made(x, causal, &at_once).context;
    Tensor last;
    for (Index t = 0; t < 10; ++t) last = made(narrow(x, 1, t, 1), causal, &by_steps).context;
    EXPECT_THAT(numbers(narrow(all, 1, 9, 1)), near(last, 1e-12)) << sinks;
    EXPECT_THAT(numbers(at_once.keys()), near(by_steps.keys(), 1e-12)) << sinks;
  }
}

TEST(CacheCalls, PlacesThatRollAreRefused) {
  const Tensor x = randn({kB, 1, kE}, kF64);
  KeyValueCache rolling({.sinks = 1, .window = 2});
  const NoGrad off;
  const LatentHeads latent(
      {.width = kE, .heads = kH, .latent = 5, .head_width = 2, .rotary_width = 2, .dtype = kF64});
  EXPECT_ERROR(ValueError, "latent_heads: a rolling cache has no places: give a plain one",
               latent(x, {}, &rolling));
  const DifferentialHeads differential(
      {.width = kE, .heads = kH, .head_width = 2, .rotary = true, .dtype = kF64});
  EXPECT_ERROR(ValueError, "differential_heads: a rolling cache has no places: give a plain one",
               differential(x, {}, &rolling));
  EXPECT_EQ(rolling.seen(), 0);
}

TEST(CacheCalls, WhatGoesOnFromQueryToQueryIsRefused) {
  const Tensor x = randn({kB, 1, kE}, kF64);
  const NoGrad off;
  const std::string text =
      "multi_head: takes no cache: its score or normaliser goes on from query to query";
  KeyValueCache cache;
  const MultiHeadOptions options{.width = kE, .heads = kH, .dtype = kF64};
  MultiHeadOptions other = options;
  other.normaliser = std::make_shared<Monotonic>();
  const MultiHead monotonic(other);
  EXPECT_NO_THROW(monotonic(x));
  EXPECT_ERROR(ValueError, text, monotonic(x, {}, &cache));
  other = options;
  other.score = std::make_shared<LocationAware>(LocationAwareOptions{
      .query_width = 2, .key_width = 2, .hidden = 3, .filters = 2, .kernel = 5, .dtype = kF64});
  const MultiHead by_place(other);
  EXPECT_ERROR(ValueError, text, by_place(x, {}, &cache));
  const Monotonic given;
  const MultiHead plain(options);
  EXPECT_ERROR(ValueError, text, plain(x, {.normaliser = &given}, &cache));
  EXPECT_EQ(cache.seen(), 0);
  EXPECT_NO_THROW(plain(x, {}, &cache));
}

void expect_unchanged(const SelfAttention& made, const KeyValueCacheOptions& options) {
  const NoGrad off;
  const Tensor x = randn({kB, 9, kE}, kF64);
  const auto at = [&](Index t) { return narrow(x, 1, t, 1); };
  const Terms causal{.mask = Mask::causal()};
  KeyValueCache cache(options), other(options);
  for (Index t = 0; t < 7; ++t) {
    made(at(t), causal, &cache);
    made(at(t), causal, &other);
  }
  Terms bias = causal, mask = causal;
  bias.bias = zeros({kB, 1, 1, 2}, kF64);
  mask.mask = Mask::causal() & Mask::lengths({1, 2}, 2);
  EXPECT_THROW(made(at(7), bias, &cache), ShapeError);
  EXPECT_THROW(made(at(7), mask, &cache), ShapeError);
  EXPECT_EQ(cache.seen(), 7);
  for (const Index t : {7, 8}) {
    EXPECT_EQ(numbers(made(at(t), causal, &cache).context),
              numbers(made(at(t), causal, &other).context));
  }
  EXPECT_EQ(numbers(cache.keys()), numbers(other.keys()));
}

TEST(CacheCalls, WhatThrowsLeavesTheCacheAsItWas) {
  for (const auto& [name, made] : kinds()) {
    SCOPED_TRACE(name);
    expect_unchanged(*made, {});
    const bool rolls = name != "forgetting_heads" && name != "value_residual_heads";
    if (rolls) expect_unchanged(*made, {.sinks = 1, .window = 4});
  }
  const AttentionFreeFull without_heads({.width = kE, .max_length = 9, .dtype = kF64});
  expect_unchanged(without_heads, {});
  const MultiHead shared({.width = kE, .heads = 3, .kv_heads = 1, .dtype = kF64});
  expect_unchanged(shared, {});
  expect_unchanged(shared, {.sinks = 1, .window = 4});
}

TEST(CacheCalls, WhatTheNormaliserRefusesLeavesTheCacheAsItWas) {
  const MultiHead made({.width = kE, .heads = kH, .dtype = kF64});
  const NoGrad off;
  const Tensor x = randn({kB, 1, kE}, kF64);
  const SoftmaxPlusOne plus_one;
  Terms both;
  both.normaliser = &plus_one;
  both.sinks = zeros({1}, kF64);
  KeyValueCache cache;
  made(x, {}, &cache);
  EXPECT_THROW(made(x, both, &cache), ValueError);
  EXPECT_EQ(cache.seen(), 1);
  EXPECT_EQ(cache.length(), 1);
}

TEST(CacheCalls, TheDropoutOfTheCallCountsInTraining) {
  for (const auto& [name, made] : kinds()) {
    SCOPED_TRACE(name);
    const Tensor x = randn({kB, 11, kE}, kF64);
    Generator generator(5);
    const Terms causal{.mask = Mask::causal()};
    Terms dropped = causal;
    dropped.dropout = 0.5;
    dropped.generator = &generator;
    EXPECT_NE(numbers((*made)(x, dropped).context), numbers((*made)(x, causal).context));
  }
}

TEST(CacheCalls, HooksHearOfWhatIsMadeFromACache) {
  const NoGrad off;
  const Tensor x = randn({kB, 3, kE}, kF64);
  const auto nothing = [](const nn::Module&, const Tensor& out) { return out * 0; };
  for (const auto& [name, made] : kinds()) {
    SCOPED_TRACE(name);
    made->register_forward_hook(nothing);
    KeyValueCache cache;
    EXPECT_EQ(amax(abs((*made)(x, {.mask = Mask::causal()}, &cache).context)).item(), 0);
  }
  TransformerDecoder decoder(1,
                             {.width = kE, .heads = kH, .hidden = 4, .dropout = 0, .dtype = kF64});
  decoder.register_forward_hook(nothing);
  auto state = decoder.start(randn({kB, 5, kE}, kF64));
  EXPECT_EQ(amax(abs(decoder.step(select(x, 1, 0), state).output)).item(), 0);
  EXPECT_EQ(amax(abs(decoder.run(narrow(x, 1, 1, 2), state).output)).item(), 0);
}

TEST(CacheCalls, ADifferenceHasNoSumsOfOneSoftmax) {
  const DifferentialHeads made({.width = kE, .heads = kH, .dtype = kF64});
  const Tensor x = randn({kB, 5, kE}, kF64);
  EXPECT_ERROR(ValueError, "differential_heads: a difference has no statistics of one softmax",
               made(x, {.need_statistics = true}));
  EXPECT_ERROR(ValueError, "differential_heads: a difference has no log_sums",
               made(x, {.need_log_sums = true}));
}

}  // namespace
}  // namespace heed::attention
