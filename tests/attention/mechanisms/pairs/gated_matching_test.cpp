#include "../../../../attention/mechanisms/pairs/gated_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Rows = std::vector<Numbers>;

constexpr Index kB = 3, kT = 5, kJ = 4, kD = 2, kQ = 3, kH = 2;
const std::vector<Index> kWords = {kT, 2, 0}, kAsked = {2, kJ, 0};

Numbers gru(const Leaves& p, const std::string& name, const std::string& way, const Numbers& x,
            const Numbers& h) {
  const auto of = [&](const std::string& what) { return p[name + "." + what + way]; };
  const Numbers a = plain::affine(of("weight_ih"), x, of("bias_ih"));
  const Numbers b = plain::affine(of("weight_hh"), h, of("bias_hh"));
  Numbers out;
  for (Index i = 0; i < kH; ++i) {
    const double r = plain::sigmoid(at(a, i) + at(b, i));
    const double z = plain::sigmoid(at(a, kH + i) + at(b, kH + i));
    const double n = std::tanh(at(a, 2 * kH + i) + r * at(b, 2 * kH + i));
    out.push_back((1 - z) * n + z * at(h, i));
  }
  return out;
}

// What `query` finds among the first `count` keys, and their weights, as many as there are keys.
std::pair<Numbers, Numbers> found(const Leaves& p, const Numbers& query, const Rows& keys,
                                  Index count) {
  Numbers scores(keys.size(), 0.0), context(keys.front().size(), 0.0);
  for (Index j = 0; j < count; ++j) {
    const Numbers& key = keys[static_cast<std::size_t>(j)];
    const Numbers sum = plain::add(plain::affine(p["score.query_projection.weight"], query),
                                   plain::affine(p["score.key_projection.weight"], key));
    for (Index i = 0; i < kH; ++i) {
      at(scores, j) += p["score.score_vector"](i) * std::tanh(at(sum, i));
    }
  }
  const Numbers a = plain::softmax(scores, count);
  for (Index j = 0; j < count; ++j) {
    for (Index c = 0; c < std::ssize(context); ++c) {
      at(context, c) += at(a, j) * at(keys[static_cast<std::size_t>(j)], c);
    }
  }
  return {context, a};
}

Numbers gated(const Leaves& p, const Numbers& word, const Numbers& seen) {
  Numbers both = plain::join({word, seen});
  const Numbers gate = plain::affine(p["gate.weight"], both);
  for (Index i = 0; i < std::ssize(both); ++i) at(both, i) *= plain::sigmoid(at(gate, i));
  return both;
}

Numbers plain_gated_matching(const Leaves& p) {
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows words = plain::rows_of(p["p"], b, kT), question = plain::rows_of(p["q"], b, kJ);
    Numbers h(kH, 0.0);
    for (Index t = 0; t < kT; ++t) {
      const bool real = t < kWords[b];
      const Numbers& word = words[static_cast<std::size_t>(t)];
      Numbers a(kJ, 0.0);
      if (real) {
        Numbers context;
        std::tie(context, a) = found(p, plain::join({word, h}), question, kAsked[b]);
        h = gru(p, "cell", "", gated(p, word, context), h);
      }
      contexts = plain::join({contexts, real ? h : Numbers(kH, 0.0)});
      weights = plain::join({weights, a});
    }
  }
  return plain::join({contexts, weights});
}

Numbers plain_self_matching(const Leaves& p) {
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows words = plain::rows_of(p["p"], b, kT);
    Rows read, there, back;
    for (Index t = 0; t < kT; ++t) {
      // What stands in the padding is 0, and looks, too.
      const bool real = t < kWords[b];
      const Numbers word = real ? words[static_cast<std::size_t>(t)] : Numbers(kD, 0.0);
      const auto [context, a] = found(p, word, words, kWords[b]);
      if (real) read.push_back(gated(p, word, context));
      weights = plain::join({weights, a});
    }
    Numbers h(kH, 0.0);
    for (const Numbers& x : read) there.push_back(h = gru(p, "reader", "_l0", x, h));
    std::reverse(read.begin(), read.end());
    h = Numbers(kH, 0.0);
    for (const Numbers& x : read) back.push_back(h = gru(p, "reader", "_l0_reverse", x, h));
    std::reverse(back.begin(), back.end());
    for (std::size_t t = 0; t < kT; ++t) {
      contexts = plain::join(
          {contexts, t < there.size() ? plain::join({there[t], back[t]}) : Numbers(2 * kH, 0.0)});
    }
  }
  return plain::join({contexts, weights});
}

const GatedMatchingOptions kGated{
    .width = kD, .question_width = kQ, .hidden = kH, .dtype = DType::f64};
const SelfMatchingOptions kSelf{.width = kD, .hidden = kH, .dtype = DType::f64};

TEST(GatedMatching, IsThePapersSums) {
  manual_seed(41);
  const GatedMatching made(kGated);
  const Tensor p = randn({kB, kT, kD}, DType::f64), q = randn({kB, kJ, kQ}, DType::f64);
  const auto leaves = leaves_of(made, {{"p", p}, {"q", q}});
  const auto ours = [&] {
    const Attended seen = made(p, q, kWords, Mask::lengths(kAsked, kJ), true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, plain_gated_matching);
  plain::expect_gradients(leaves, ours, 3);
  EXPECT_FALSE(made(p, q).weights.defined());
}

TEST(SelfMatching, IsThePapersSums) {
  manual_seed(42);
  const SelfMatching made(kSelf);
  const Tensor p = randn({kB, kT, kD}, DType::f64);
  const auto leaves = leaves_of(made, {{"p", p}});
  const auto ours = [&] {
    const Attended seen = made(p, kWords, true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, plain_self_matching);
  plain::expect_gradients(leaves, ours, 4);
}

TEST(GatedMatching, WhatIsMaskedChangesNoBit) {
  manual_seed(43);
  const GatedMatching made(kGated);
  const SelfMatching itself(kSelf);
  const Tensor p = randn({kB, kT, kD}, DType::f64), q = randn({kB, kJ, kQ}, DType::f64);
  plain::expect_hidden([&](double value) {
    return plain::bits_of(leaves_of(made, {}), [&] {
      const Tensor words = plain::spoiled(p, kWords, value);
      return std::vector<Tensor>{
          made(words, plain::spoiled(q, kAsked, value), kWords, Mask::lengths(kAsked, kJ)).context,
          itself(words, kWords).context};
    });
  });
}

TEST(GatedMatching, ReadsNothing) {
  const GatedMatching made(kGated);
  const SelfMatching itself(kSelf);
  const auto none = [](Index B, Index T, Index d) { return zeros({B, T, d}, DType::f64); };
  EXPECT_EQ(made(none(2, 0, kD), none(2, kJ, kQ), {}, Mask(), true).weights.shape(),
            (Shape{2, 0, kJ}));
  EXPECT_EQ(made(none(2, kT, kD), none(2, 0, kQ)).context.shape(), (Shape{2, kT, kH}));
  EXPECT_EQ(made(none(0, kT, kD), none(0, kJ, kQ)).context.shape(), (Shape{0, kT, kH}));
  EXPECT_EQ(itself(none(2, 0, kD)).context.shape(), (Shape{2, 0, 2 * kH}));
}

TEST(GatedMatching, RefusesWhatDoesNotFit) {
  const GatedMatching made({.width = kD, .question_width = kQ, .hidden = kH});
  const SelfMatching itself({.width = kD, .hidden = kH});
  const Tensor p = zeros({kB, kT, kD}), q = zeros({kB, kJ, kQ});
  EXPECT_ERROR(ShapeError, "gated_matching: passage must be [.., n, 2], not f32[3, 5, 3]",
               made(zeros({kB, kT, 3}), q));
  EXPECT_ERROR(ShapeError, "gated_matching: question must be [.., n, 3], not f32[3, 4, 2]",
               made(p, zeros({kB, kJ, 2})));
  EXPECT_ERROR(ShapeError, "gated_matching: question must have 3 rows, not 2: f32[2, 4, 3]",
               made(p, zeros({2, kJ, kQ})));
  EXPECT_ERROR(DTypeError, "self_matching: passage must be f32, not f64[3, 5, 2]",
               itself(zeros({kB, kT, kD}, DType::f64)));
  EXPECT_ERROR(ValueError,
               "gated_matching: width 0, question_width 0 and hidden 2 must be positive",
               GatedMatching({.hidden = 2}));
  EXPECT_ERROR(ValueError, "self_matching: width 2 and hidden 0 must be positive",
               SelfMatching({.width = 2}));
}

}  // namespace
}  // namespace heed::attention
