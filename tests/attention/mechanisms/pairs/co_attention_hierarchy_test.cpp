#include "../../../../attention/mechanisms/pairs/co_attention_hierarchy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;
using plain::sigmoid;
using Rows = std::vector<Numbers>;

constexpr Index kB = 2, kT = 5, kN = 3, kD = 4, kHidden = 2, kAnswers = 7;
const std::vector<Index> kWords = {kT, 3}, kPlaces = {2, kN};

Rows rows(const Block& x, Index b, Index count) {
  Rows out;
  for (Index i = 0; i < count; ++i) {
    out.emplace_back();
    for (Index c = 0; c < kD; ++c) out.back().push_back(x(b, i, c));
  }
  return out;
}

Numbers times(const Block& w, Index out_width, const Numbers& x) {
  Numbers out(static_cast<std::size_t>(out_width), 0.0);
  for (Index o = 0; o < out_width; ++o) {
    for (std::size_t c = 0; c < x.size(); ++c) out[static_cast<std::size_t>(o)] += w(o, c) * x[c];
  }
  return out;
}

// tanh over s words from t on, those beyond the end 0; the largest of s = 1, 2, 3.
Rows phrases(const Leaves& p, const Rows& words) {
  Rows out;
  for (std::size_t t = 0; t < words.size(); ++t) {
    Numbers best(kD, -2.0);
    for (std::size_t s = 1; s <= 3; ++s) {
      const Block& w = p["phrases." + std::to_string(s - 1) + ".weight"];
      for (std::size_t o = 0; o < kD; ++o) {
        double sum = 0;
        for (std::size_t j = 0; j < s && t + j < words.size(); ++j) {
          for (std::size_t c = 0; c < kD; ++c) sum += w(o, c, j) * words[t + j][c];
        }
        best[o] = std::max(best[o], std::tanh(sum));
      }
    }
    out.push_back(best);
  }
  return out;
}

Rows lstm(const Leaves& p, const Rows& x) {
  Numbers h(kD, 0.0), c(kD, 0.0);
  Rows out;
  for (const Numbers& now : x) {
    Numbers gates = times(p["question.weight_ih_l0"], 4 * kD, now);
    const Numbers from_h = times(p["question.weight_hh_l0"], 4 * kD, h);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      gates[i] += from_h[i] + p["question.bias_ih_l0"](i) + p["question.bias_hh_l0"](i);
    }
    for (std::size_t i = 0; i < kD; ++i) {
      c[i] = sigmoid(gates[kD + i]) * c[i] + sigmoid(gates[i]) * std::tanh(gates[2 * kD + i]);
      h[i] = sigmoid(gates[3 * kD + i]) * std::tanh(c[i]);
    }
    out.push_back(h);
  }
  return out;
}

Numbers attended(const Rows& x, Numbers scores) {
  scores = plain::softmax(scores, static_cast<Index>(scores.size()));
  Numbers out(kD, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t c = 0; c < kD; ++c) out[c] += scores[i] * x[i][c];
  }
  return out;
}

// q + v of a parallel level.
Numbers level(const Leaves& p, int i, const Rows& Q, const Rows& V) {
  const std::string at = "levels." + std::to_string(i) + '.';
  Rows wq, wv;
  for (const Numbers& q : Q) wq.push_back(times(p[at + "question_projection.weight"], kHidden, q));
  for (const Numbers& v : V) wv.push_back(times(p[at + "image_projection.weight"], kHidden, v));
  const auto affinity = [&](std::size_t t, std::size_t n) {
    double out = 0;
    for (std::size_t a = 0; a < kD; ++a) {
      for (std::size_t b = 0; b < kD; ++b) out += Q[t][a] * p[at + "affinity"](a, b) * V[n][b];
    }
    return std::tanh(out);
  };
  Numbers eq(Q.size(), 0.0), ev(V.size(), 0.0);
  for (std::size_t h = 0; h < kHidden; ++h) {
    for (std::size_t n = 0; n < V.size(); ++n) {
      double unit = wv[n][h];
      for (std::size_t t = 0; t < Q.size(); ++t) unit += wq[t][h] * affinity(t, n);
      ev[n] += p[at + "image_vector"](h) * std::tanh(unit);
    }
    for (std::size_t t = 0; t < Q.size(); ++t) {
      double unit = wq[t][h];
      for (std::size_t n = 0; n < V.size(); ++n) unit += wv[n][h] * affinity(t, n);
      eq[t] += p[at + "question_vector"](h) * std::tanh(unit);
    }
  }
  Numbers out = attended(Q, eq);
  const Numbers image = attended(V, ev);
  for (std::size_t c = 0; c < kD; ++c) out[c] += image[c];
  return out;
}

Numbers tanh_of(Numbers x) {
  for (double& v : x) v = std::tanh(v);
  return x;
}

Numbers plain_logits(const Leaves& p) {
  Numbers out;
  for (Index b = 0; b < kB; ++b) {
    const Rows words = rows(p["words"], b, kWords[static_cast<std::size_t>(b)]);
    const Rows image = rows(p["image"], b, kPlaces[static_cast<std::size_t>(b)]);
    const Rows phrase = phrases(p, words);
    Numbers h = tanh_of(times(p["word_answer.weight"], kD, level(p, 0, words, image)));
    Numbers both = level(p, 1, phrase, image);
    both.insert(both.end(), h.begin(), h.end());
    h = tanh_of(times(p["phrase_answer.weight"], kD, both));
    both = level(p, 2, lstm(p, phrase), image);
    both.insert(both.end(), h.begin(), h.end());
    h = tanh_of(times(p["question_answer.weight"], kD, both));
    const Numbers logits = times(p["out.weight"], kAnswers, h);
    out.insert(out.end(), logits.begin(), logits.end());
  }
  return out;
}

class Hierarchies : public testing::Test {
 protected:
  Hierarchies() {
    manual_seed(13);
    words = randn({kB, kT, kD}, DType::f64);
    image = randn({kB, kN, kD}, DType::f64);
    for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 0.5);
  }
  Tensor words, image;
  const CoAttentionHierarchy made{
      {.width = kD, .hidden = kHidden, .answers = kAnswers, .dtype = DType::f64}};
};

TEST_F(Hierarchies, AreTheDefinition) {
  const auto leaves = leaves_of(made, {{"words", words}, {"image", image}});
  const auto ours = [&] {
    return std::vector{made(words, image, kWords, Mask::lengths(kPlaces, kN)).logits};
  };
  plain::expect_same(leaves, ours, plain_logits);
  expect_gradients(leaves, ours, 3);
}

TEST_F(Hierarchies, TakeEitherKindAndGiveWeightsOfAllLevels) {
  for (const auto kind : {CoAttentionKind::parallel, CoAttentionKind::alternating}) {
    const CoAttentionHierarchy other(
        {.width = kD, .answers = kAnswers, .kind = kind, .dtype = DType::f64});
    const CoAttentionHierarchyOutput seen =
        other(words, image, kWords, Mask::lengths(kPlaces, kN), true);
    ASSERT_EQ(seen.levels.size(), 3U);
    for (const CoAttentionOutput& level : seen.levels) {
      EXPECT_EQ(level.summary.context.defined(), kind == CoAttentionKind::alternating);
      EXPECT_LT(amax(abs(sum(level.question.weights, {1}) - 1)).item(), 1e-12);
      EXPECT_LT(amax(abs(sum(level.image.weights, {1}) - 1)).item(), 1e-12);
      EXPECT_EQ(sum(abs(narrow(narrow(level.question.weights, 0, 1, 1), 1, 3, 2))).item(), 0);
    }
    EXPECT_FALSE(other(words, image).levels[0].image.weights.defined());
  }
}

TEST_F(Hierarchies, OfNothingAnswerZeros) {
  const CoAttentionHierarchyOutput seen = made(words, image, {kT, 0}, Mask::lengths({0, 0}, kN));
  EXPECT_EQ(sum(abs(narrow(seen.logits, 0, 1, 1))).item(), 0);
  EXPECT_GT(sum(abs(narrow(seen.logits, 0, 0, 1))).item(), 0);
  EXPECT_EQ(made(zeros({kB, 0, kD}, DType::f64), image).logits.shape(), (Shape{kB, kAnswers}));
  EXPECT_EQ(made(zeros({0, kT, kD}, DType::f64), zeros({0, kN, kD}, DType::f64)).logits.shape(),
            (Shape{0, kAnswers}));
}

TEST_F(Hierarchies, RefuseWhatDoesNotFit) {
  EXPECT_ERROR_WITH(
      ValueError,
      "co_attention_hierarchy: width 3 and answers 0 must be positive, hidden 2 not negative",
      CoAttentionHierarchy none({.width = 3, .hidden = 2}));
  EXPECT_ERROR_WITH(ShapeError, "co_attention_hierarchy: co_attention: image must be [.., n, 4]",
                    made(words, narrow(image, 2, 0, 3)));
  EXPECT_ERROR_WITH(ShapeError,
                    "co_attention_hierarchy: words must be [.., n, 4], not f64[2, 5, 3]",
                    made(narrow(words, 2, 0, 3), image));
  EXPECT_ERROR_WITH(ShapeError, "co_attention_hierarchy: 3 lengths for 2 rows of words",
                    made(words, image, {1, 2, 3}));
  EXPECT_ERROR_WITH(DTypeError, "co_attention_hierarchy: words must be f64",
                    made(to(words, DType::f32), to(image, DType::f32)));
  EXPECT_ERROR_WITH(GradError, "co_attention_hierarchy: image is undefined", made(words, Tensor()));
}

}  // namespace
}  // namespace heed::attention
