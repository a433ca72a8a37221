#include "../../../../attention/mechanisms/pairs/entailment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;
using plain::sigmoid;
using Rows = std::vector<Numbers>;

constexpr std::size_t kB = 3, kL = 5, kT = 4, kK = 3, kIn = 2;
const std::vector<Index> kPremises = {kL, 2, 0}, kHypotheses = {3, kT, 2};

void append(Numbers& to, const Numbers& from) { to.insert(to.end(), from.begin(), from.end()); }
Mask premises() { return Mask::lengths(kPremises, kL); }

// W x, from column `first` of W on.
Numbers times(const Block& w, const Numbers& x, std::size_t out_width = kK, std::size_t first = 0) {
  Numbers out(out_width, 0.0);
  for (std::size_t o = 0; o < out_width; ++o) {
    for (std::size_t c = 0; c < x.size(); ++c) out[o] += w(o, first + c) * x[c];
  }
  return out;
}

Numbers row(const Block& x, std::size_t b, std::size_t t, std::size_t width = kK) {
  Numbers out;
  for (std::size_t c = 0; c < width; ++c) out.push_back(x(b, t, c));
  return out;
}

// softmax(w^T tanh(W^y Y + asked 1^T)); 0 beyond the premise.
Numbers alpha(const Leaves& p, std::size_t b, const Numbers& asked) {
  Numbers e(kL, 0.0);
  const Index count = kPremises[b];
  for (std::size_t j = 0; static_cast<Index>(j) < count; ++j) {
    const Numbers y = times(p["score.key_projection.weight"], row(p["premise"], b, j));
    for (std::size_t h = 0; h < kK; ++h)
      e[j] += p["score.score_vector"](h) * std::tanh(y[h] + asked[h]);
  }
  e = plain::softmax(e, count);
  return e;
}

Numbers sum_of(const Leaves& p, std::size_t b, const Numbers& weights) {
  Numbers out(kK, 0.0);
  for (std::size_t j = 0; j < kL; ++j) {
    for (std::size_t c = 0; c < kK && weights[j] != 0; ++c)
      out[c] += weights[j] * p["premise"](b, j, c);
  }
  return out;
}

Numbers pair_of(const Leaves& p, const Numbers& r, const Numbers& last) {
  Numbers out = times(p["pair.premise.weight"], r);
  const Numbers x = times(p["pair.hypothesis.weight"], last);
  for (std::size_t c = 0; c < kK; ++c) out[c] = std::tanh(out[c] + x[c]);
  return out;
}

Numbers plain_word_by_word(const Leaves& p) {
  Numbers contexts, weights, pairs;
  for (std::size_t b = 0; b < kB; ++b) {
    Numbers r(kK, 0.0), last(kK, 0.0);
    for (std::size_t t = 0; t < kT; ++t) {
      Numbers a(kL, 0.0);
      if (static_cast<Index>(t) < kHypotheses[b]) {
        last = row(p["hypothesis"], b, t);
        Numbers asked = times(p["score.query_projection.weight"], last);
        const Numbers from_r = times(p["score.query_projection.weight"], r, kK, kK);
        for (std::size_t h = 0; h < kK; ++h) asked[h] += from_r[h];
        a = alpha(p, b, asked);
        Numbers now = sum_of(p, b, a);
        const Numbers carried = times(p["carry.weight"], r);
        for (std::size_t c = 0; c < kK; ++c) now[c] += std::tanh(carried[c]);
        r = now;
      }
      append(contexts, r);
      append(weights, a);
    }
    append(pairs, pair_of(p, r, last));
  }
  return plain::join({contexts, weights, pairs});
}

Numbers plain_one_shot(const Leaves& p) {
  Numbers contexts, weights, pairs;
  for (std::size_t b = 0; b < kB; ++b) {
    Numbers last;
    for (std::size_t c = 0; c < kK; ++c) last.push_back(p["last"](b, c));
    const Numbers a = alpha(p, b, times(p["score.query_projection.weight"], last));
    const Numbers r = sum_of(p, b, a);
    append(contexts, r);
    append(weights, a);
    append(pairs, pair_of(p, r, last));
  }
  return plain::join({contexts, weights, pairs});
}

// Y, H and h_N.
Numbers plain_reading(const Leaves& p) {
  Numbers premise, hypothesis, lasts;
  for (std::size_t b = 0; b < kB; ++b) {
    Numbers h, c(kK, 0.0);
    const auto read = [&](const std::string& name, Index count, std::size_t steps, Numbers& out) {
      h.assign(kK, 0.0);
      for (std::size_t t = 0; t < steps; ++t) {
        if (static_cast<Index>(t) >= count) {
          append(out, Numbers(kK, 0.0));
          continue;
        }
        Numbers gates =
            times(p[name + ".weight_ih_l0"], row(p[name + "_words"], b, t, kIn), 4 * kK);
        const Numbers from_h = times(p[name + ".weight_hh_l0"], h, 4 * kK);
        for (std::size_t i = 0; i < 4 * kK; ++i) {
          gates[i] += from_h[i] + p[name + ".bias_ih_l0"](i) + p[name + ".bias_hh_l0"](i);
        }
        for (std::size_t i = 0; i < kK; ++i) {
          c[i] = sigmoid(gates[kK + i]) * c[i] + sigmoid(gates[i]) * std::tanh(gates[2 * kK + i]);
          h[i] = sigmoid(gates[3 * kK + i]) * std::tanh(c[i]);
        }
        append(out, h);
      }
    };
    read("premise", kPremises[b], kL, premise);
    read("hypothesis", kHypotheses[b], kT, hypothesis);
    append(lasts, h);
  }
  return plain::join({premise, hypothesis, lasts});
}

class Entailment : public SeededTest<23> {
 protected:
  const WordByWord made{kK, DType::f64};
  const OneShotAttention one{kK, DType::f64};
  Tensor premise = randn({kB, kL, kK}, DType::f64), hypothesis = randn({kB, kT, kK}, DType::f64);
  Tensor last = randn({kB, kK}, DType::f64);

  std::vector<Tensor> run(const Tensor& y, const Tensor& h) const {
    const EntailmentOutput seen = made(y, h, premises(), kHypotheses, true);
    return {seen.context, seen.weights, seen.pair};
  }
};

TEST_F(Entailment, WordByWordIsTheDefinition) {
  const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
  const auto ours = [&] { return run(premise, hypothesis); };
  plain::expect_same(leaves, ours, plain_word_by_word);
  expect_gradients(leaves, ours, 0);
  // The tiled path, whose weights are never made.
  expect_gradients(
      leaves, [&] { return std::vector{made(premise, hypothesis, premises(), kHypotheses).pair}; });
}

TEST_F(Entailment, OneShotIsTheDefinition) {
  const auto leaves = leaves_of(one, {{"premise", premise}, {"last", last}});
  const auto ours = [&] {
    const EntailmentOutput seen = one(premise, last, premises(), true);
    return std::vector{seen.context, seen.weights, seen.pair};
  };
  plain::expect_same(leaves, ours, plain_one_shot);
  expect_gradients(leaves, ours, 0);
}

TEST_F(Entailment, ConditionalEncodingIsTheDefinition) {
  const ConditionalEncoding reader(kIn, kK, DType::f64);
  Tensor words = randn({kB, kL, kIn}, DType::f64), others = randn({kB, kT, kIn}, DType::f64);
  const auto leaves = leaves_of(reader, {{"premise_words", words}, {"hypothesis_words", others}});
  const auto ours = [&] {
    const ConditionalEncodingOutput read = reader(words, others, kPremises, kHypotheses);
    return std::vector{read.premise, read.hypothesis, read.last};
  };
  plain::expect_same(leaves, ours, plain_reading);
  expect_gradients(leaves, ours, 3);
}

TEST_F(Entailment, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor y = plain::spoiled(premise, kPremises, value),
           h = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"premise", y}, {"hypothesis", h}}),
                          [&] { return run(y, h); });
  });
}

TEST_F(Entailment, PaddedBatchesEqualEachExampleAlone) {
  const EntailmentOutput all = made(premise, hypothesis, premises(), kHypotheses, true);
  for (Index b = 0; b < static_cast<Index>(kB); ++b) {
    const Index L = kPremises[static_cast<std::size_t>(b)];
    const Index T = kHypotheses[static_cast<std::size_t>(b)];
    const EntailmentOutput alone = made(narrow(narrow(premise, 0, b, 1), 1, 0, L),
                                        narrow(narrow(hypothesis, 0, b, 1), 1, 0, T));
    EXPECT_FALSE(alone.weights.defined());
    EXPECT_THAT(numbers(alone.context), near(narrow(narrow(all.context, 0, b, 1), 1, 0, T)));
    EXPECT_THAT(numbers(alone.pair), near(narrow(all.pair, 0, b, 1)));
  }
}

TEST_F(Entailment, OfNothingIsZero) {
  premise.set_requires_grad();
  const EntailmentOutput silent = made(premise, hypothesis, premises(), {0, 0, 0}, true);
  for (const Tensor& x : {silent.context, silent.weights, silent.pair}) {
    EXPECT_EQ(sum(abs(x)).item(), 0);
  }
  const EntailmentOutput blind =
      made(premise, hypothesis, Mask::lengths({0, 0, 0}, kL), kHypotheses, true);
  EXPECT_EQ(sum(abs(blind.context)).item() + sum(abs(blind.weights)).item(), 0);
  (sum(silent.pair) + sum(blind.context)).backward();
  EXPECT_EQ(premise.grad().defined() ? sum(abs(premise.grad())).item() : 0, 0);
  EXPECT_EQ(sum(abs(one(premise, last, Mask::lengths({0, 0, 0}, kL)).context)).item(), 0);
}

TEST_F(Entailment, TheOrderOfThePremiseIsNothingThatOfTheHypothesisIs) {
  const Tensor order(Array::from(std::vector<Index>{4, 2, 0, 1, 3}));
  const Tensor back(Array::from(std::vector<Index>{3, 2, 1, 0}));
  const Numbers before = numbers(made(premise, hypothesis).pair);
  EXPECT_THAT(numbers(made(index_select(premise, 1, order), hypothesis).pair), near(before));
  EXPECT_GT(amax(abs(made(premise, index_select(hypothesis, 1, back)).context -
                     index_select(made(premise, hypothesis).context, 1, back)))
                .item(),
            1e-3);
}

TEST_F(Entailment, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "word_by_word: width 0 must be positive", WordByWord none(0));
  EXPECT_ERROR_WITH(ValueError, "one_shot_attention: width -1 must be", OneShotAttention none(-1));
  EXPECT_ERROR_WITH(ValueError, "conditional_encoding: width 0 must be",
                    ConditionalEncoding none(2, 0));
  EXPECT_ERROR_WITH(ShapeError, "word_by_word: premise must be [.., n, 3], not f64[3, 5, 2]",
                    made(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR_WITH(ShapeError, "word_by_word: hypothesis must be [B, n, width]",
                    made(premise, last));
  EXPECT_ERROR_WITH(ShapeError, "word_by_word: hypothesis must have 3 rows, not 2",
                    made(premise, narrow(hypothesis, 0, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "word_by_word: the mask of premise is one of",
                    made(premise, hypothesis, Mask::causal()));
  EXPECT_ERROR_WITH(ShapeError, "word_by_word: 2 lengths for 3 rows of hypothesis",
                    made(premise, hypothesis, Mask(), {1, 2}));
  EXPECT_ERROR_WITH(DTypeError, "word_by_word: hypothesis must be f64",
                    made(premise, to(hypothesis, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "one_shot_attention: last must be [3, 3], not f64[2, 3]",
                    one(premise, narrow(last, 0, 0, 2)));
  EXPECT_ERROR(DTypeError, "one_shot_attention: last must be f64, not f32[3, 3]",
               one(premise, to(last, DType::f32)));
  const ConditionalEncoding reader(kK, kK, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "conditional_encoding: hypothesis must be [.., n, 3]",
                    reader(premise, narrow(hypothesis, 2, 0, 1)));
  EXPECT_ERROR_WITH(ShapeError, "conditional_encoding: mask: length 9 of row 0 is not in [0, 5]",
                    reader(premise, hypothesis, {9, 1, 1}));
}

}  // namespace
}  // namespace heed::attention
