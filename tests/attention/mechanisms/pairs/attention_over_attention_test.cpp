#include "../../../../attention/mechanisms/pairs/attention_over_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 3, kDoc = 7, kT = 5, kE = 2, kWords = 4;
const std::vector<Index> kDocs = {kDoc, 4, 3}, kQueries = {3, kT, 1};
const std::vector<Index> kIds = {0, 3, 1, 3, 3, 2, 0, 1, 1, 2, 0, -7, 99, 4, 3, 3, 3, 9, 9, 9, 9};

Mask docs() { return Mask::lengths(kDocs, kDoc); }
Mask queries() { return Mask::lengths(kQueries, kT); }
Tensor ids() { return reshape(Tensor(Array::from(kIds)), Shape{kB, kDoc}); }

// s, alpha, beta and P, one after the other.
Numbers reference(const Leaves& p) {
  Numbers out, alphas, betas, sums;
  for (Index b = 0; b < kB; ++b) {
    const Index D = kDocs[static_cast<std::size_t>(b)], T = kQueries[static_cast<std::size_t>(b)];
    const auto M = [&](Index i, Index j) {
      double score = 0;
      for (Index c = 0; c < kE; ++c) score += p["document"](b, i, c) * p["query"](b, j, c);
      return score;
    };
    std::vector<Numbers> alpha(kDoc, Numbers(kT, 0.0));
    Numbers beta(kT, 0.0), s(kDoc, 0.0), P(kWords, 0.0);
    for (Index j = 0; j < T; ++j) {
      Numbers column(kDoc, 0.0);
      for (Index i = 0; i < D; ++i) column[static_cast<std::size_t>(i)] = M(i, j);
      column = plain::softmax(column, D);
      for (std::size_t i = 0; i < kDoc; ++i) alpha[i][static_cast<std::size_t>(j)] = column[i];
    }
    for (Index i = 0; i < D; ++i) {
      Numbers row(kT, 0.0);
      for (Index j = 0; j < T; ++j) row[static_cast<std::size_t>(j)] = M(i, j);
      row = plain::softmax(row, T);
      for (std::size_t j = 0; j < kT; ++j) beta[j] += row[j] / static_cast<double>(D);
    }
    for (std::size_t i = 0; i < kDoc; ++i) {
      for (std::size_t j = 0; j < kT; ++j) s[i] += alpha[i][j] * beta[j];
      alphas.insert(alphas.end(), alpha[i].begin(), alpha[i].end());
      if (static_cast<Index>(i) < D) {
        P[static_cast<std::size_t>(kIds[static_cast<std::size_t>(b) * kDoc + i])] += s[i];
      }
    }
    out.insert(out.end(), s.begin(), s.end());
    betas.insert(betas.end(), beta.begin(), beta.end());
    sums.insert(sums.end(), P.begin(), P.end());
  }
  for (const Numbers& more : {alphas, betas, sums}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

class OverAttention : public testing::Test {
 protected:
  OverAttention() {
    manual_seed(17);
    document = randn({kB, kDoc, kE}, DType::f64);
    query = randn({kB, kT, kE}, DType::f64);
  }
  std::vector<Tensor> run(const Tensor& doc, const Tensor& asked) const {
    const AttentionOverAttentionOutput seen = made(doc, asked, docs(), queries(), true);
    return {seen.weights, seen.by_query, seen.of_queries,
            pointer_sum(seen.weights, ids(), kWords, docs())};
  }
  Tensor document, query;
  const AttentionOverAttention made;
};

TEST_F(OverAttention, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"document", document}, {"query", query}});
  const auto ours = [&] { return run(document, query); };
  plain::expect_same(leaves, ours, reference);
  expect_gradients(leaves, ours, 0);
}

TEST_F(OverAttention, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor doc = plain::spoiled(document, kDocs, value),
           asked = plain::spoiled(query, kQueries, value);
    return plain::bits_of(leaves_of(made, {{"document", doc}, {"query", asked}}),
                          [&] { return run(doc, asked); });
  });
}

TEST_F(OverAttention, PaddedBatchesEqualEachExampleAlone) {
  const AttentionOverAttentionOutput all = made(document, query, docs(), queries(), true);
  for (Index b = 0; b < kB; ++b) {
    const Index D = kDocs[static_cast<std::size_t>(b)], T = kQueries[static_cast<std::size_t>(b)];
    const AttentionOverAttentionOutput alone =
        made(narrow(narrow(document, 0, b, 1), 1, 0, D), narrow(narrow(query, 0, b, 1), 1, 0, T));
    EXPECT_FALSE(alone.by_query.defined());
    EXPECT_FALSE(alone.of_queries.defined());
    EXPECT_THAT(numbers(alone.weights), near(narrow(narrow(all.weights, 0, b, 1), 1, 0, D)));
  }
  EXPECT_THAT(numbers(sum(all.weights, {1})), near(Numbers(kB, 1.0)));
}

TEST_F(OverAttention, OfNothingIsZero) {
  for (const bool no_query : {false, true}) {
    Tensor doc = document.detach(), asked = query.detach();
    doc.set_requires_grad();
    asked.set_requires_grad();
    const Mask none = Mask::lengths({0, 0, 0}, no_query ? kT : kDoc);
    const AttentionOverAttentionOutput seen =
        made(doc, asked, no_query ? docs() : none, no_query ? none : queries());
    EXPECT_EQ(sum(abs(seen.weights)).item(), 0);
    seen.weights.backward(full(seen.weights.shape(), 1e9, DType::f64));
    EXPECT_EQ(sum(abs(doc.grad())).item() + sum(abs(asked.grad())).item(), 0);
  }
  EXPECT_EQ(made(zeros({kB, 0, kE}), zeros({kB, kT, kE})).weights.shape(), (Shape{kB, 0}));
  EXPECT_EQ(sum(abs(made(ones({kB, 2, kE}), zeros({kB, 0, kE})).weights)).item(), 0);
}

TEST_F(OverAttention, TheOrderOfQueryWordsIsNothing) {
  const Tensor order(Array::from(std::vector<Index>{4, 2, 0, 1, 3}));
  EXPECT_THAT(numbers(made(document, index_select(query, 1, order)).weights),
              near(made(document, query).weights));
}

TEST_F(OverAttention, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ShapeError,
                    "attention_over_attention: query must be [.., n, 2], not f64[3, 5, 3]",
                    made(document, zeros({kB, kT, 3}, DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "attention_over_attention: query must have 3 rows, not 2",
                    made(document, narrow(query, 0, 0, 2)));
  EXPECT_ERROR_WITH(DTypeError, "attention_over_attention: query must be f64",
                    made(document, to(query, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "attention_over_attention: document must be [B, n, width]",
                    made(ids(), ids()));
  EXPECT_ERROR_WITH(ShapeError, "the mask of document is one of places",
                    made(document, query, Mask::window(1, 1)));
}

}  // namespace
}  // namespace heed::attention
