// What stands where nobody may look changes nothing, in results and gradients of tiled attention.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/elementwise/in_place.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"
#include "attention_cases.h"

namespace heed::attention_cases {
namespace {

class AttentionMasks : public AttentionTest {};

INSTANTIATE_TEST_SUITE_P(Scores, AttentionMasks, testing::Values(Score::dot, Score::additive),
                         name_of);

// Writes NaN and infinities where `places` (bool, broadcast) is true.
Tensor spoilt(const Tensor& x, const Tensor& places) {
  Array numbers = x.array().clone();
  const Array here = places.array().expand(x.shape()).contiguous();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < numbers.numel(); ++i) {
    if (here.data<bool>()[i]) numbers.mutable_data<double>()[i] = i % 3 == 0 ? kInf : kNan;
  }
  return numbers;
}

// Keys that nobody may see, in four ways, and queries that see nothing.
TEST_P(AttentionMasks, WhatIsMaskedChangesNoBit) {
  const Sizes sizes{"", {2, 3, 71, 16}, {2, 3, 83, 16}, {2, 3, 83, 16}};
  const Tensors x = drawn(GetParam(), sizes);
  Generator draw(11);
  const Tensor g = draw.normal({2, 3, 71, 16}, 0, 1, DType::f64);
  const Tensor late_keys = flags({83, 1}, [](Index j) { return j >= 60; });
  const Tensor late_queries = flags({71, 1}, [](Index i) { return i >= 50; });
  std::vector<AttentionOptions> ways(5);
  ways[0].lengths = Array::from(std::vector<Index>{60, 59});
  ways[1].allowed = flags({83}, [](Index j) { return j < 60; });
  ways[2].right = -1;
  ways[2].allowed = flags({71, 83}, [](Index at) { return at % 83 < 60 && at / 83 < 50; });
  ways[3] = ways[2];
  ways[3].bias = draw.normal({71, 83}, 0, 1, DType::f64);
  ways[4] = ways[1];
  ways[4].bias = ways[3].bias;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    const Tensors expected = all(attend, GetParam(), x, ways[way], g);
    Tensors dirty = x;
    dirty[1] = spoilt(x[1], late_keys);
    dirty[2] = spoilt(x[2], late_keys);
    Tensor dirty_g = g;
    const bool by_query = way == 2 || way == 3;
    if (by_query) {
      dirty[0] = spoilt(x[0], late_queries);
      dirty_g = spoilt(g, late_queries);
    }
    AttentionOptions options = ways[way];
    if (options.bias.defined()) options.bias = spoilt(options.bias, transpose(late_keys, 0, 1));
    expect_same_bits(all(attend, GetParam(), dirty, options, dirty_g), expected);
    expect_near(all(attend_plain, GetParam(), dirty, options, by_query ? g : dirty_g), expected,
                1e-12);
  }
}

TEST_P(AttentionMasks, WhatComesLaterChangesNoBitUnderACausalMask) {
  const Sizes sizes{"", {1, 83, 16}, {1, 83, 16}, {1, 83, 16}};
  const Tensors x = drawn(GetParam(), sizes);
  AttentionOptions options;
  options.right = 0;
  const Tensors expected = all(attend, GetParam(), x, options);
  Tensors dirty = x;
  const Tensor late = flags({83, 1}, [](Index j) { return j >= 70; });
  for (std::size_t i = 0; i < 3; ++i) dirty[i] = spoilt(x[i], late);
  const Tensors found = all(attend, GetParam(), dirty, options);
  // What those queries saw has gradients of theirs.
  EXPECT_TRUE(same_bits(narrow(found[0], 1, 0, 70), narrow(expected[0], 1, 0, 70)));
  EXPECT_TRUE(same_bits(narrow(found[1], 1, 0, 70), narrow(expected[1], 1, 0, 70)));
  EXPECT_FALSE(same_bits(found[0], expected[0]));
  EXPECT_TRUE(std::isnan(sum(narrow(found[0], 1, 70, 13)).item()));
}

TEST_P(AttentionMasks, NaNThatIsSeenSpreads) {
  const Sizes sizes{"", {3, 16}, {5, 16}, {5, 16}};
  AttentionOptions options;
  options.allowed = flags({3, 5}, [](Index at) { return at != 2; });  // query 0 not key 2
  Tensors x = drawn(GetParam(), sizes);
  x[2] = spoilt(x[2], flags({5, 1}, [](Index j) { return j == 2; }));
  const Tensor out = attend(GetParam(), x, options);
  EXPECT_TRUE(std::isfinite(sum(narrow(out, 0, 0, 1)).item()));
  EXPECT_FALSE(std::isfinite(sum(narrow(out, 0, 1, 1)).item()));
  EXPECT_FALSE(std::isfinite(sum(narrow(out, 0, 2, 1)).item()));
}

TEST_P(AttentionMasks, OfNothingIsZero) {
  const Sizes sizes{"", {2, 5, 7}, {2, 11, 7}, {2, 11, 3}};
  AttentionOptions options;
  options.lengths = Array::from(std::vector<Index>{0, 4});
  const Tensors found = all(attend, GetParam(), drawn(GetParam(), sizes), options);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(sum(abs(select(found[i], 0, 0))).item(), 0) << i;
  EXPECT_GT(sum(abs(select(found[0], 0, 1))).item(), 0);
  for (const Sizes& none :
       {Sizes{"", {2, 0, 7}, {2, 11, 7}, {2, 11, 3}}, Sizes{"", {2, 5, 7}, {2, 0, 7}, {2, 0, 3}},
        Sizes{"", {0, 5, 7}, {0, 11, 7}, {11, 3}}, Sizes{"", {2, 5, 0}, {2, 11, 0}, {2, 11, 3}},
        Sizes{"", {2, 5, 7}, {2, 11, 7}, {2, 11, 0}}}) {
    const Tensors x = drawn(GetParam(), none);
    expect_near(all(attend, GetParam(), x, {}), all(attend_plain, GetParam(), x, {}), 1e-12);
  }
}

// A bias of -infinity hides a place as a mask does.
TEST_P(AttentionMasks, ABiasOfMinusInfinityHides) {
  const Sizes sizes{"", {2, 5, 7}, {2, 11, 7}, {2, 11, 3}};
  const Tensors x = drawn(GetParam(), sizes);
  AttentionOptions masked, biased;
  masked.allowed = flags({5, 11}, [](Index at) { return at % 3 != 0 && at / 11 != 4; });
  biased.bias = where(masked.allowed, zeros({5, 11}, DType::f64),
                      full({5, 11}, -std::numeric_limits<double>::infinity(), DType::f64));
  const Tensors expected = all(attend, GetParam(), x, masked);
  for (const auto& call : {attend, attend_plain}) {
    Tensors found = all(call, GetParam(), x, biased);
    EXPECT_EQ(sum(to(isnan(found.back()), DType::f64)).item(), 0);
    found.pop_back();
    expect_near(found, expected, 1e-14);
  }
}

// In gradients of gradients, and by offset, and where a map says so.
TEST_P(AttentionMasks, MinusInfinityHidesFromTheDefinition) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Sizes sizes{"", {2, 5, 7}, {2, 11, 7}, {2, 11, 3}};
  const auto twice = [&](const AttentionOptions& options) {
    Tensors x, leaves;
    for (const Tensor& each : drawn(GetParam(), sizes)) {
      leaves.push_back(x.emplace_back(each.detach()).set_requires_grad());
    }
    const Tensor out = attend(GetParam(), x, options);
    Tensors first = grad({sum(square(out))}, leaves, {}, {.create_graph = true}), all = {out};
    Tensor squares = tensor(0, DType::f64);
    for (const Tensor& each : first) squares = squares + sum(square(each));
    for (const Tensor& each : grad({squares}, leaves)) all.push_back(each);
    all.insert(all.end(), first.begin(), first.end());
    return all;
  };
  // The first two queries see nothing, each after them a key more.
  AttentionOptions masked, biased, by_offset, mapped;
  masked.allowed = flags({5, 11}, [](Index at) { return at % 11 + 2 <= at / 11; });
  biased.bias = where(masked.allowed, zeros({5, 11}, DType::f64), full(Shape{}, -kInf, DType::f64));
  const Tensor apart = arange(-4, 11);  // key less query
  by_offset.offset_bias =
      where(apart <= -2, zeros({15}, DType::f64), full(Shape{}, -kInf, DType::f64));
  mapped.map = score_map([](auto s, auto at) {
    return where(at.k <= at.q - 8, s, -std::numeric_limits<double>::infinity());
  });
  const Tensors expected = twice(masked);
  for (const AttentionOptions& each : {biased, by_offset, mapped}) {
    expect_near(twice(each), expected, 1e-12);
  }
}

// The sign stays, forward and back, where a mask has the products leave infinities out.
TEST_P(AttentionMasks, InfinityThatIsSeenIsInfinity) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Sizes sizes{"", {3, 7}, {5, 7}, {5, 2}};
  AttentionOptions options;  // query 0 does not see key 2, query 1 not key 4
  options.allowed = flags({3, 5}, [](Index at) { return at != 2 && at != 9; });
  const Tensors x = drawn(GetParam(), sizes);
  const Tensor g = Generator(11).normal({3, 2}, 0, 1, DType::f64);
  const Tensors clean = all(attend, GetParam(), x, options, g);
  const auto with = [](const Tensor& numbers, Index place, double value) {
    Array out = numbers.array().clone();
    out.mutable_data<double>()[place] = value;
    return Tensor(out);
  };
  for (const double infinity : {kInf, -kInf}) {
    Tensors far = x;
    far[2] = with(x[2], 2 * 2 + 1, infinity);
    const Tensor out = attend(GetParam(), far, options);
    Tensor wanted = with(with(clean[0], 3, infinity), 5, infinity);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_DOUBLE_EQ(out.array().data<double>()[i], wanted.array().data<double>()[i]) << i;
    }
    const Tensor gv = all(attend, GetParam(), x, options, with(g, 1 * 2 + 1, infinity))[3];
    wanted = clean[3];
    for (const Index j : {0, 1, 2, 3}) wanted = with(wanted, j * 2 + 1, infinity);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_DOUBLE_EQ(gv.array().data<double>()[i], wanted.array().data<double>()[i]) << i;
    }
  }
}

// The gradient asks the mask once more.
TEST_P(AttentionMasks, AWriteBeforeTheGradientIsNoticed) {
  const Sizes sizes{"", {2, 5, 7}, {2, 11, 7}, {2, 11, 3}};
  const auto late = [&](const AttentionOptions& options, Tensor written, bool again) {
    Tensors x = drawn(GetParam(), sizes);
    x[0].set_requires_grad();
    const Tensor out = sum(square(attend(GetParam(), x, options)));
    fill_(written, 0);
    grad({out}, {x[0]}, {}, {.create_graph = again});
  };
  for (const bool again : {false, true}) {
    AttentionOptions masked, counted;
    masked.allowed = flags({5, 11}, [](Index at) { return at % 3 != 0; });
    counted.lengths = Array::from(std::vector<Index>{9, 4});
    EXPECT_ERROR_WITH(GradError, "attention kept its input bool[5, 11] for the derivative, but",
                      late(masked, masked.allowed, again));
    EXPECT_ERROR_WITH(GradError, "attention kept its input i64[2] for the derivative, but",
                      late(counted, counted.lengths, again));
    EXPECT_NO_THROW(late(masked, counted.lengths, again));
  }
}

// Without keys nothing leads to the sums' logs, in either derivative.
TEST(AttentionOfNoKeys, IsDifferentiatedBesideItsLogSums) {
  const Tensor q = ones({5, 7}, DType::f64).set_requires_grad();
  const Tensor k = zeros({0, 7}, DType::f64).set_requires_grad();
  const Tensor v = zeros({0, 3}, DType::f64).set_requires_grad();
  Tensor sums;
  const Tensor out = dot_attention(q, k, v, {}, &sums);
  const Tensors back = {ones(out.shape(), DType::f64), ones(sums.shape(), DType::f64)};
  for (const bool again : {true, false}) {
    const Tensor gq = grad({out, sums}, {q, k, v}, back, {.create_graph = again})[0];
    EXPECT_TRUE(!gq.defined() || sum(abs(gq)).item() == 0) << again;
  }
}

}  // namespace
}  // namespace heed::attention_cases
