#include "../../../../attention/mechanisms/decoders/pointer_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 3, kK = 5, kE = 4, kDk = 2, kH = 6, kV = 7, kExtended = 9;
const std::vector<Index> kLengths = {kK, 3};

PointerGeneratorOptions options(bool coverage) {
  return {.word_width = kE,
          .annotation_width = kDk,
          .state_width = kH,
          .hidden = 3,
          .vocabulary = kV,
          .coverage = coverage,
          .dtype = DType::f64};
}

struct Inputs {
  Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kDk}, DType::f64);
  // 7 and 8 are words of the source alone; what is masked may be anything.
  Tensor ids = indices({7, 1, 7, 8, 2, 0, 7, 3, -5, 99}, {kB, kK});
  Tensor targets = indices({7, 2, 6, 7, 0, 5}, {kB, kT});
  Mask mask = Mask::lengths(kLengths, kK);
};

class PointerGenerators : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Coverage, PointerGenerators, testing::Bool());

TEST_P(PointerGenerators, AreTheDefinition) {
  manual_seed(3);
  const Inputs in;
  const PointerGenerator made(options(GetParam()));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  const PointerGeneratorOutput all = made(in.words, in.source, in.ids, in.mask);
  const Block words(in.words), source(in.source), ids(in.ids), targets(in.targets);
  const Numbers v = plain::parameter(made, "attend.score.score_vector").values();
  const Numbers wc = plain::parameter(made, "attend.score.coverage_vector").values();
  Numbers p, likelihoods, losses, weights;
  for (Index b = 0; b < kB; ++b) {
    plain::Lstm s{Numbers(kH, 0.0), Numbers(kH, 0.0)};
    Numbers context(kDk, 0.0), covered(kK, 0.0);
    for (Index t = 0; t < kT; ++t) {
      const Numbers x = words.row({b, t});
      s = plain::lstm(made, "cell", plain::join({x, context}), s);
      Numbers scores;
      for (Index j = 0; j < kK; ++j) {
        Numbers inside =
            plain::add(plain::affine(made, "attend.score.query_projection", s.h),
                       plain::affine(made, "attend.score.key_projection", source.row({b, j})));
        for (std::size_t h = 0; h < inside.size(); ++h) {
          inside[h] += wc[h] * covered[static_cast<std::size_t>(j)];
        }
        scores.push_back(plain::dot(v, plain::tanh(inside)));
      }
      const Index places = kLengths[static_cast<std::size_t>(b)];
      const Numbers a = plain::softmax(scores, places);
      context = plain::weighed(a, source, b);
      const Numbers logits = plain::affine(
          made, "vocabulary", plain::affine(made, "inner", plain::join({s.h, context})));
      const double gate =
          plain::sigmoid(plain::affine(made, "gate", plain::join({context, s.h, x}))[0]);
      Numbers own = plain::softmax(logits, kV);
      for (double& each : own) each *= gate;
      own.resize(kExtended, 0.0);
      double loss = 0;
      for (Index j = 0; j < places; ++j) {
        const auto at = static_cast<std::size_t>(j);
        own[static_cast<std::size_t>(ids(b, j))] += (1 - gate) * a[at];
        loss += std::min(a[at], covered[at]);
        if (GetParam()) covered[at] += a[at];
      }
      likelihoods.push_back(std::log(own[static_cast<std::size_t>(targets(b, t))]));
      p.insert(p.end(), own.begin(), own.end());
      weights.insert(weights.end(), a.begin(), a.end());
      losses.push_back(loss);
    }
  }
  EXPECT_LT(difference(all.distribution(kExtended), p), 1e-10);
  EXPECT_LT(difference(all.log_likelihood(in.targets), likelihoods), 1e-10);
  EXPECT_LT(difference(all.weights.front(), weights), 1e-10);
  EXPECT_LT(difference(all.coverage_loss, losses), 1e-10);

  // What is copied is the part of P that is not written.
  const Tensor gated = unsqueeze(sigmoid(all.gate), -1) * softmax(all.output, -1);
  const Tensor from_source = sum(all.copies(in.targets), {-1});
  const Block P(all.distribution(kExtended)), own(gated), copied(from_source);
  for (Index b = 0; b < kB; ++b) {
    for (Index t = 0; t < kT; ++t) {
      const auto target = static_cast<Index>(targets(b, t));
      const double ours = target < kV ? own(b, t, target) : 0;
      EXPECT_NEAR(copied(b, t), P(b, t, target) - ours, 1e-12);
    }
  }
  EXPECT_EQ(all.copies(in.targets).shape(), (Shape{kB, kT, kK}));

  // A batch of one row that becomes several beams.
  const Tensor first(Array::from(std::vector<Index>{0}));
  const Tensor thrice(Array::from(std::vector<Index>{0, 0, 0}));
  auto alone = made.start(in.source, in.ids, in.mask);
  alone.reorder(first);
  made.step(index_select(select(in.words, 1, 0), 0, first), alone);
  alone.reorder(thrice);
  const auto copies = made.step(index_select(select(in.words, 1, 1), 0, thrice), alone);
  EXPECT_LT(difference(copies.distribution(kExtended),
                       index_select(select(all.distribution(kExtended), 1, 1), 0, thrice)),
            1e-12);

  // Step by step, and beams that carry on.
  auto state = made.start(in.source, in.ids, in.mask);
  const Tensor rows(Array::from(std::vector<Index>{1, 1, 0}));
  const Tensor whole = all.distribution(kExtended);
  for (Index t = 0; t < kT; ++t) {
    if (t == 1) {
      auto beams = state;
      beams.reorder(rows);
      const auto now = made.step(index_select(select(in.words, 1, t), 0, rows), beams);
      EXPECT_LT(difference(now.distribution(kExtended), index_select(select(whole, 1, t), 0, rows)),
                1e-12);
    }
    const auto now = made.step(select(in.words, 1, t), state);
    EXPECT_LT(difference(now.distribution(kExtended), select(whole, 1, t)), 1e-12);
    EXPECT_LT(difference(now.log_likelihood(select(in.targets, 1, t)),
                         select(all.log_likelihood(in.targets), 1, t)),
              1e-12);
    EXPECT_LT(difference(now.coverage_loss, select(all.coverage_loss, 1, t)), 1e-12);
  }
}

TEST_P(PointerGenerators, PassTheChecks) {
  manual_seed(5);
  Inputs in;
  PointerGenerator made(options(GetParam()));
  const std::vector<NamedLeaf> leaves = {{"source", in.source.set_requires_grad()},
                                         {"words", in.words.set_requires_grad()}};
  const auto loss = [&] {
    const PointerGeneratorOutput out = made(in.words, in.source, in.ids, in.mask);
    return out.coverage_loss - out.log_likelihood(in.targets);
  };
  const auto first = nn::gradcheck(made, loss, {.step = 1e-4}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(made, loss, {.step = 1e-4, .max_elements = 5}, leaves);
  EXPECT_TRUE(second) << second.text();
  const auto whole = nn::gradcheck(
      made, [&] { return made(in.words, in.source, in.ids, in.mask).distribution(kExtended); },
      {.step = 1e-4, .max_elements = 6}, leaves);
  EXPECT_TRUE(whole) << whole.text();
}

TEST(PointerGenerator, WritesWhereThereIsNothingToCopy) {
  manual_seed(7);
  Inputs in;
  const PointerGenerator made(options(true));
  in.source.set_requires_grad();
  const auto out = made(in.words, in.source, in.ids, Mask::lengths({kK, 0}, kK));
  const Tensor p = out.distribution(kExtended + 90);
  EXPECT_LT(difference(sum(p, {-1}), Numbers(kB * kT, 1.0)), 1e-12);
  EXPECT_EQ(sum(abs(select(out.weights.front(), 0, 1))).item(), 0);
  const Tensor log_p = select(out.log_likelihood(in.targets), 0, 1);
  EXPECT_EQ(Block(log_p).values()[0], -std::numeric_limits<double>::infinity());  // a copy
  sum(narrow(log_p, 0, 1, 2) * 1e9).backward();
  EXPECT_EQ(sum(abs(in.source.grad())).item(), 0);
  // Targets that count for nothing.
  EXPECT_EQ(Block(out.log_likelihood(full(Shape{kB, kT}, -100, DType::i64))).values(),
            Numbers(kB * kT, 0.0));
}

TEST(PointerGenerator, WithoutCopyingAllIsWritten) {
  manual_seed(11);
  Inputs in;
  PointerGeneratorOptions written = options(true);
  written.copy = false;
  PointerGenerator made(written);
  in.source.set_requires_grad();
  const auto out = made(in.words, in.source, in.ids, in.mask);
  const Tensor p = out.distribution(kExtended);
  EXPECT_LT(difference(narrow(p, 2, 0, kV), Block(softmax(out.output, -1)).values()), 1e-12);
  EXPECT_EQ(sum(narrow(p, 2, kV, kExtended - kV)).item(), 0);
  const Tensor targets = indices({2, 2, 6, 0, 0, -100}, {kB, kT});
  const Tensor log_p = out.log_likelihood(targets);
  const Numbers all = Block(log(p)).values();
  EXPECT_NEAR(Block(log_p).values()[2], all[2 * kExtended + 6], 1e-12);
  sum(log_p).backward();
  EXPECT_GT(sum(abs(in.source.grad())).item(), 0);
  EXPECT_TRUE(Block(in.source.grad()).values() == Block(in.source.grad()).values());  // no NaN
}

TEST(PointerGenerator, WhatHardlyEverHappensHasAGradient) {
  PointerGenerator made(
      {.word_width = 1, .annotation_width = 1, .state_width = 1, .vocabulary = 2});
  made.gate.bias.set_array(Array::full(Shape{1}, 200, DType::f32));  // never copies
  const auto out = made(zeros({1, 1, 1}), zeros({1, 1, 1}), indices({2}, {1, 1}));
  const Tensor log_p = out.log_likelihood(indices({2}, {1, 1}));
  EXPECT_NEAR(log_p.item(), -200, 1);
  log_p.backward();
  EXPECT_NEAR(made.gate.bias.grad().item(), -1, 1e-6);
}

TEST(PointerGenerator, TargetsMayEndBeforeOthers) {
  manual_seed(9);
  const Inputs in;
  const PointerGenerator made(options(true));
  expect_ends(made, in.words, {kT, 2}, [&](const Tensor& words) {
    const auto out = made(words, in.source, in.ids, in.mask, {}, {kT, 2});
    return std::vector{out.output, out.gate, out.coverage_loss};
  });
}

TEST(PointerGenerator, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "state_width 0 and vocabulary 0 must be",
                    PointerGenerator made({.word_width = 1, .annotation_width = 1}));
  const Inputs in;
  const PointerGenerator made(options(true));
  EXPECT_ERROR_WITH(IndexError, "pointer_generator: id -5 of the source is below 0",
                    made.start(in.source, in.ids));
  EXPECT_ERROR_WITH(ShapeError, "pointer_generator: ids must be [2, 5], not i64[2, 4]",
                    made.start(in.source, narrow(in.ids, 1, 0, 4), in.mask));
  EXPECT_ERROR_WITH(DTypeError, "ids must be i64, not f32[2, 5]",
                    made.start(in.source, zeros({kB, kK}), in.mask));
  const auto out = made(in.words, in.source, in.ids, in.mask);
  EXPECT_ERROR_WITH(ValueError, "an extended vocabulary of 6 is less than 7",
                    out.distribution(kV - 1));
  EXPECT_ERROR_WITH(IndexError, "7", out.distribution(kV));
  EXPECT_ERROR_WITH(ShapeError, "pointer_generator: targets must be [2, 3], not i64[2]",
                    out.log_likelihood(select(in.targets, 1, 0)));
}

}  // namespace
}  // namespace heed::attention
