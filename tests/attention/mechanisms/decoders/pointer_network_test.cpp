#include "../../../../attention/mechanisms/decoders/pointer_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/losses/nll_loss.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 5, kI = 2, kDk = 4, kH = 6;
constexpr double kNever = -std::numeric_limits<double>::infinity();
const std::vector<Index> kLengths = {kK, 3};

// Of logarithms: what can never be is so in both.
double log_difference(const Tensor& a, const Tensor& b) {
  const Tensor never = a == kNever;
  EXPECT_TRUE(same_bits(never, b == kNever));
  return difference(where(never, 0, a), where(never, 0, b));
}

PointerNetworkOptions options(bool once) {
  return {.input_width = kI,
          .key_width = kDk,
          .state_width = kH,
          .hidden = 7,
          .once = once,
          .dtype = DType::f64};
}

struct Inputs {
  Tensor keys = randn({kB, kK, kDk}, DType::f64), inputs = randn({kB, kK, kI}, DType::f64);
  Tensor targets = indices({3, 0, 4, 2, 1, 0}, {kB, kT});
  Mask mask = Mask::lengths(kLengths, kK);
};

class PointerNetworks : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Once, PointerNetworks, testing::Bool());

TEST_P(PointerNetworks, AreTheDefinition) {
  manual_seed(3);
  const Inputs in;
  const PointerNetwork made(options(GetParam()));
  const Tensor all = made(in.keys, in.inputs, in.targets, in.mask);
  const Block keys(in.keys), inputs(in.inputs), targets(in.targets);
  const Numbers v = plain::parameter(made, "point.score.score_vector").values();
  Numbers have;
  for (Index b = 0; b < kB; ++b) {
    plain::Lstm d{Numbers(kH, 0.0), Numbers(kH, 0.0)};
    std::vector<bool> gone(kK, false);
    Numbers x = plain::parameter(made, "first_input").values();
    for (Index t = 0; t < kT; ++t) {
      d = plain::lstm(made, "cell", x, d);
      Numbers u(kK, kNever);
      double total = 0;
      for (Index j = 0; j < kLengths[static_cast<std::size_t>(b)]; ++j) {
        if (gone[static_cast<std::size_t>(j)]) continue;
        const double score = plain::dot(
            v, plain::tanh(plain::add(
                   plain::affine(made, "point.score.query_projection", d.h),
                   plain::affine(made, "point.score.key_projection", keys.row({b, j})))));
        u[static_cast<std::size_t>(j)] = score;
        total += std::exp(score);
      }
      for (const double score : u) have.push_back(score - std::log(total));
      const auto place = static_cast<Index>(targets(b, t));
      x = inputs.row({b, place});
      gone[static_cast<std::size_t>(place)] = GetParam();
    }
  }
  EXPECT_LT(log_difference(all, tensor(have, all.shape(), DType::f64)), 1e-10);

  // Step by step, and beams that carry on.
  auto state = made.start(in.keys, in.inputs, in.mask);
  const Tensor rows(Array::from(std::vector<Index>{1, 1, 0}));
  Tensor last;
  for (Index t = 0; t < kT; ++t) {
    if (t == 1) {
      auto beams = state;
      beams.reorder(rows);
      EXPECT_LT(log_difference(made.step(index_select(last, 0, rows), beams),
                               index_select(select(all, 1, t), 0, rows)),
                1e-12);
    }
    EXPECT_LT(log_difference(made.step(last, state), select(all, 1, t)), 1e-12);
    last = select(in.targets, 1, t);
  }
}

TEST_P(PointerNetworks, PassTheChecks) {
  manual_seed(5);
  Inputs in;
  PointerNetwork made(options(GetParam()));
  const auto loss = [&] {
    const Tensor log_p = made(in.keys, in.inputs, in.targets, in.mask);
    return nll_loss(reshape(log_p, {kB * kT, kK}), reshape(in.targets, {kB * kT}));
  };
  const std::vector<NamedLeaf> leaves = {{"keys", in.keys.set_requires_grad()},
                                         {"inputs", in.inputs.set_requires_grad()}};
  const auto first = nn::gradcheck(made, loss, {}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(made, loss, {.max_elements = 6}, leaves);
  EXPECT_TRUE(second) << second.text();
}

TEST_P(PointerNetworks, WhatIsMaskedChangesNoBit) {
  manual_seed(7);
  Inputs in;
  PointerNetwork made(options(GetParam()));
  plain::expect_hidden([&](double hidden) {
    Array keys = in.keys.array().clone(), inputs = in.inputs.array().clone();
    keys.mutable_data<double>()[(kK + 4) * kDk + 1] = hidden;
    inputs.mutable_data<double>()[(kK + 4) * kI + 1] = hidden;
    Tensor own(keys), read(inputs);
    own.set_requires_grad();
    made.zero_grad();
    const Tensor log_p = made(own, read, in.targets, in.mask);
    nll_loss(reshape(log_p, {kB * kT, kK}), reshape(in.targets, {kB * kT})).backward();
    std::vector<Numbers> bits = {Block(log_p).values(), Block(own.grad()).values()};
    for (const Tensor& each : made.parameters()) bits.push_back(Block(each.grad()).values());
    return bits;
  });
  // Each example alone.
  const Tensor all = made(in.keys, in.inputs, in.targets, in.mask);
  const auto own = [](const Tensor& x) { return narrow(narrow(x, 0, 1, 1), 1, 0, 3); };
  EXPECT_LT(log_difference(made(own(in.keys), own(in.inputs), narrow(in.targets, 0, 1, 1)),
                           narrow(narrow(all, 0, 1, 1), 2, 0, 3)),
            1e-12);
  // Targets that have ended, and an example without places.
  const Tensor ended =
      made(in.keys, in.inputs, indices({3, 0, 4, 2, -100, -100}, {kB, kT}), in.mask);
  EXPECT_LT(log_difference(narrow(ended, 1, 0, 2), narrow(all, 1, 0, 2)), 1e-12);
  in.keys.set_requires_grad();
  const Tensor none = made(in.keys, in.inputs, in.targets, Mask::lengths({kK, 0}, kK));
  for (const double x : Block(select(none, 0, 1)).values()) EXPECT_EQ(x, kNever);
  sum(exp(select(none, 0, 1)) * 1e9).backward();
  EXPECT_EQ(sum(abs(in.keys.grad())).item(), 0);
}

TEST(PointerNetwork, DecodesEachPlaceOnce) {
  manual_seed(9);
  const Inputs in;
  const PointerNetwork made(options(true));
  auto state = made.start(in.keys, in.inputs, in.mask);
  const auto found = made.decode(state, kK).array().to_vector<Index>();
  for (Index b = 0; b < kB; ++b) {
    std::vector<Index> row(found.begin() + b * kK, found.begin() + (b + 1) * kK);
    std::sort(row.begin(), row.end());
    EXPECT_EQ(row,
              b == 0 ? (std::vector<Index>{0, 1, 2, 3, 4}) : (std::vector<Index>{-1, -1, 0, 1, 2}));
  }
  auto empty = made.start(zeros({kB, 0, kDk}, DType::f64), zeros({kB, 0, kI}, DType::f64));
  EXPECT_EQ(made.decode(empty, 2).shape(), (Shape{kB, 2}));
  EXPECT_EQ(made(zeros({0, kK, kDk}, DType::f64), zeros({0, kK, kI}, DType::f64),
                 Tensor(Array::zeros({0, kT}, DType::i64)))
                .shape(),
            (Shape{0, kT, kK}));
}

TEST(PointerNetwork, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "pointer_network: input_width 2, key_width 0",
                    PointerNetwork made({.input_width = 2, .key_width = 0, .state_width = 3}));
  const Inputs in;
  const PointerNetwork made(options(false));
  EXPECT_ERROR_WITH(ShapeError, "differ in rows or places",
                    made.start(in.keys, narrow(in.inputs, 1, 0, 4)));
  EXPECT_ERROR_WITH(ShapeError, "pointer_network: ", made.start(in.inputs, in.inputs));
  EXPECT_ERROR_WITH(ShapeError, "pointer_network: inputs must be [.., n, 2]",
                    made.start(in.keys, in.keys));
  EXPECT_ERROR_WITH(IndexError, "pointer_network: place 5 is not among 5 keys",
                    made(in.keys, in.inputs, indices({0, 1, 2, 3, 4, 5}, {kB, kT})));
  EXPECT_ERROR_WITH(DTypeError, "places must be i64", made(in.keys, in.inputs, zeros({kB, kT})));
  EXPECT_ERROR_WITH(GradError, "pointer_network: targets is undefined",
                    made(in.keys, in.inputs, Tensor()));
  auto state = made.start(in.keys, in.inputs);
  EXPECT_ERROR_WITH(ValueError, "pointer_network: -1 steps are below 0", made.decode(state, -1));
}

}  // namespace
}  // namespace heed::attention
