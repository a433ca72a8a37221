// Attention over packed batches: what it gives each sequence is what the padded batch gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/packed/packed.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

const std::vector<Index> kLengths = {5, 0, 2, 7}, kSources = {3, 4, 1, 6};
constexpr Index kE = 6;

TransformerOptions options() {
  return {.width = kE,
          .heads = 3,
          .hidden = 5,
          .dropout = 0,
          .pre_norm = true,
          .rotary = true,
          .dtype = DType::f64};
}

// A packed and a padded call: the same results, and gradients of x.
template <class Packs, class Pads>
void expect_same(const Packs& packs, const Pads& pads, Tensor x) {
  Generator draw(5);
  x.set_requires_grad();
  const Packed batch = pack(x, kLengths);
  const Tensor own = packs(batch);
  const Tensor wanted = pack(pads(x), kLengths).tokens;
  ASSERT_EQ(own.shape(), wanted.shape());
  EXPECT_THAT(numbers(own), near(wanted));
  const Tensor g(draw.normal(own.shape(), 0, 1, DType::f64));
  EXPECT_THAT(numbers(grad({sum(own * g)}, {x})[0]), near(grad({sum(wanted * g)}, {x})[0], 1e-10));
}

TEST(PackedAttention, OfHeadsIsThatOfThePaddedBatch) {
  manual_seed(3);
  const MultiHead heads(
      {.width = kE, .heads = 3, .kv_heads = 1, .rotary = true, .sinks = true, .dtype = DType::f64});
  const Alibi alibi(3, DType::f64);
  for (const Mask& mask : {Mask(), Mask::causal(), Mask::window(1, 2)}) {
    const Terms terms{.mask = mask, .position_bias = &alibi, .map = maps::soft_cap(1.5)};
    Terms padded = terms;
    padded.mask = mask & Mask::lengths(kLengths, 7);
    expect_same([&](const Packed& x) { return heads(x, terms).context; },
                [&](const Tensor& x) { return heads(x, padded).context; },
                randn({4, 7, kE}, DType::f64));
  }
}

TEST(PackedAttention, OfStacksIsThatOfThePaddedBatch) {
  manual_seed(3);
  const TransformerEncoder encoder(2, options(), true);
  expect_same([&](const Packed& x) { return encoder(x, {.mask = Mask::causal()}).output; },
              [&](const Tensor& x) {
                return encoder(x, {.mask = Mask::causal() & Mask::lengths(kLengths, 7)}).output;
              },
              randn({4, 7, kE}, DType::f64));
  const TransformerDecoder decoder(2, options(), true);
  const Tensor memory = randn({4, 6, kE}, DType::f64);
  expect_same(
      [&](const Packed& x) {
        return decoder(x, pack(memory, kSources), {.mask = Mask::causal()}).output;
      },
      [&](const Tensor& x) {
        return decoder(x, memory, {.mask = Mask::causal()}, {.mask = Mask::lengths(kSources, 6)})
            .output;
      },
      randn({4, 7, kE}, DType::f64));
}

TEST(PackedAttention, PassesTheChecks) {
  manual_seed(5);
  TransformerEncoder encoder(1, options());
  Tensor x = randn({5, kE}, DType::f64);
  const auto run = [&] { return encoder(Packed{x, {0, 2, 2, 5}}).output; };
  const std::vector<NamedLeaf> leaves = {{"x", x.set_requires_grad()}};
  const auto first = nn::gradcheck(encoder, run, {.max_elements = 5}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(encoder, run, {.max_elements = 3}, leaves);
  EXPECT_TRUE(second) << second.text();
}

TEST(PackedAttention, RefusesOffsetsThatDoNotFit) {
  const TransformerEncoder encoder(1, {.width = 6, .heads = 3, .hidden = 5});
  const TransformerDecoder decoder(1, {.width = 6, .heads = 3, .hidden = 5});
  const Tensor x = randn({5, 6});
  for (const std::vector<Index>& bad :
       std::vector<std::vector<Index>>{{0, 4}, {1, 5}, {0, 3, 2, 5}}) {
    EXPECT_THROW(encoder(Packed{x, bad}), Error);
    EXPECT_ERROR_WITH(Error, "transformer_encoder", encoder(Packed{x, bad}));
  }
  const MultiHead heads({.width = 6, .heads = 3});
  EXPECT_ERROR(ShapeError, "multi_head: offsets end at 4, tokens are f32[5, 6]",
               heads(Packed{x, {0, 4}}));
  EXPECT_ERROR_WITH(ValueError, "segments: 2 of queries and 1 of keys",
                    decoder(Packed{x, {0, 2, 5}}, Packed{x, {0, 5}}, {}));
}

}  // namespace
}  // namespace heed::attention
