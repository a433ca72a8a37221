#include "../../../../attention/mechanisms/pairs/gated_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Rows = std::vector<Numbers>;

constexpr std::size_t kB = 3, kDoc = 5, kT = 4, kD = 3, kH = 2;
const std::vector<Index> kDocs = {kDoc, 2, 1}, kQueries = {3, kT, 1};

Rows one_way(const Leaves& p, const std::string& name, const std::string& way, const Rows& x) {
  const auto of = [&](const std::string& what) { return p[name + "." + what + "_l0" + way]; };
  Rows out;
  Numbers h(kH, 0.0);
  for (const Numbers& word : x) {
    const Numbers from_x = plain::affine(of("weight_ih"), word, of("bias_ih")),
                  from_h = plain::affine(of("weight_hh"), h, of("bias_hh"));
    for (std::size_t i = 0; i < kH; ++i) {
      const double r = plain::sigmoid(from_x[i] + from_h[i]),
                   z = plain::sigmoid(from_x[kH + i] + from_h[kH + i]),
                   n = std::tanh(from_x[2 * kH + i] + r * from_h[2 * kH + i]);
      h[i] = (1 - z) * n + z * h[i];
    }
    out.push_back(h);
  }
  return out;
}

// Of each word both directions' states.
Rows both_ways(const Leaves& p, const std::string& name, Rows x) {
  const Rows there = one_way(p, name, "", x);
  std::reverse(x.begin(), x.end());
  const Rows back = one_way(p, name, "_reverse", x);
  Rows out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    out.push_back(plain::join({there[t], back[x.size() - 1 - t]}));
  }
  return out;
}

// s, and alpha of the one gate.
Numbers two_hops(const Leaves& p) {
  Numbers weights, alphas;
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows words = plain::rows_of(p["query"], b, kQueries[b]);
    const Rows D = both_ways(p, "document_1", plain::rows_of(p["document"], b, kDocs[b])),
               Q = both_ways(p, "query_1", words);
    Rows x, alpha(kDoc, Numbers(kT, 0.0));
    for (std::size_t i = 0; i < D.size(); ++i) {
      Numbers scores(kT, 0.0), seen(2 * kH, 0.0);
      for (std::size_t j = 0; j < Q.size(); ++j) scores[j] = plain::dot(D[i], Q[j]);
      alpha[i] = plain::softmax(scores, static_cast<Index>(Q.size()));
      for (std::size_t j = 0; j < Q.size(); ++j) {
        for (std::size_t c = 0; c < 2 * kH; ++c) seen[c] += alpha[i][j] * Q[j][c];
      }
      for (std::size_t c = 0; c < 2 * kH; ++c) seen[c] *= D[i][c];
      x.push_back(seen);
    }
    const Rows last = both_ways(p, "document_2", x), asked = both_ways(p, "query_2", words);
    Numbers q(asked.back().begin(), asked.back().begin() + kH), scores(kDoc, 0.0);
    q.insert(q.end(), asked.front().begin() + kH, asked.front().end());
    for (std::size_t i = 0; i < last.size(); ++i) scores[i] = plain::dot(last[i], q);
    const Numbers s = plain::softmax(scores, kDocs[b]);
    weights.insert(weights.end(), s.begin(), s.end());
    const Numbers flat = plain::join(alpha);
    alphas.insert(alphas.end(), flat.begin(), flat.end());
  }
  return plain::join({weights, alphas});
}

class GatedAttention : public SeededTest<23> {
 protected:
  std::vector<Tensor> run(const Tensor& doc, const Tensor& asked) const {
    const GatedAttentionOutput seen = made(doc, asked, kDocs, kQueries, true);
    // What stands beyond a document's end looks at the query, too: it is not compared.
    const Tensor real = unsqueeze(Mask::lengths(kDocs, kDoc).tensor({kB, kDoc}), -1);
    return {seen.weights, where(real, seen.by_place.at(0), 0)};
  }
  const GatedAttentionReader made{{.input = kD, .hidden = kH, .hops = 2, .dtype = DType::f64}};
  Tensor document = randn({kB, kDoc, kD}, DType::f64), query = randn({kB, kT, kD}, DType::f64);
};

TEST_F(GatedAttention, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"document", document}, {"query", query}});
  const auto ours = [&] { return run(document, query); };
  plain::expect_same(leaves, ours, two_hops);
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(GatedAttention, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor doc = plain::spoiled(document, kDocs, value),
           asked = plain::spoiled(query, kQueries, value);
    return plain::bits_of(leaves_of(made, {{"document", doc}, {"query", asked}}),
                          [&] { return run(doc, asked); });
  });
}

TEST_F(GatedAttention, OneReadingHasNoGate) {
  const GatedAttentionReader once{{.input = kD, .hidden = kH, .hops = 1, .dtype = DType::f64}};
  const GatedAttentionOutput seen = once(document, query, {}, {}, true);
  EXPECT_TRUE(seen.by_place.empty());
  EXPECT_THAT(numbers(sum(seen.weights, {1})), near(Numbers(kB, 1.0)));
  EXPECT_TRUE(made(document, query).by_place.empty());
}

TEST_F(GatedAttention, AGateWithoutAQueryIsShut) {
  const Attended shut =
      gated_attention(document, narrow(document, 1, 0, 2), Mask::lengths({0, 1, 0}, 2), true);
  EXPECT_EQ(sum(abs(select(shut.context, 0, 0))).item(), 0);
  EXPECT_GT(sum(abs(select(shut.context, 0, 1))).item(), 0);
  EXPECT_THAT(numbers(sum(shut.weights, {1, 2})), near(Numbers{0, kDoc, 0}));
}

TEST_F(GatedAttention, DropsOutBehindTheFirstReadingOnly) {
  const GatedAttentionReader some{
      {.input = kD, .hidden = kH, .hops = 2, .dropout = 0.5, .dtype = DType::f64}};
  const auto twice = [&](const GatedAttentionReader& reader) {
    return sum(abs(reader(document, query).weights - reader(document, query).weights)).item();
  };
  EXPECT_GT(twice(some), 0);
  const_cast<GatedAttentionReader&>(some).eval();
  EXPECT_EQ(twice(some), 0);
}

TEST_F(GatedAttention, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "gated_attention: input 0, hidden 2 and hops 3 must be positive",
                    GatedAttentionReader({.input = 0, .hidden = 2}));
  EXPECT_ERROR_WITH(ValueError, "hops 0 must be positive",
                    GatedAttentionReader({.input = 1, .hidden = 2, .hops = 0}));
  EXPECT_ERROR_WITH(ShapeError, "gated_attention: document must be [.., n, 3], not f64[3, 5, 2]",
                    made(zeros({3, 5, 2}, DType::f64), query));
  EXPECT_ERROR_WITH(ShapeError, "gated_attention: document must be [B, n, width]",
                    made(select(document, 0, 0), query));
  EXPECT_ERROR_WITH(ShapeError, "gated_attention: query must have 3 rows, not 2",
                    made(document, narrow(query, 0, 0, 2)));
  EXPECT_ERROR_WITH(DTypeError, "gated_attention: query must be f64",
                    made(document, to(query, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "gated_attention: 2 lengths for 3 rows of document",
                    made(document, query, {5, 5}));
  EXPECT_ERROR_WITH(ShapeError, "gated_attention: query must be [.., n, 3], not f64[3, 4, 2]",
                    gated_attention(document, narrow(query, 2, 0, 2)));
}

}  // namespace
}  // namespace heed::attention
