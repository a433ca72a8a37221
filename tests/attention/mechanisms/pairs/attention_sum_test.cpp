#include "../../../../attention/mechanisms/pairs/attention_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 3, kDoc = 7, kD = 5, kWords = 4;
const std::vector<Index> kDocs = {kDoc, 4, 3};
const std::vector<Index> kIds = {0, 3, 1, 3, 3, 2, 0, 1, 1, 2, 0, -7, 99, 4, 3, 3, 3, 9, 9, 9, 9};

Mask docs() { return Mask::lengths(kDocs, kDoc); }
Tensor ids() { return reshape(Tensor(Array::from(kIds)), Shape{kB, kDoc}); }

// s and P, one after the other.
Numbers reference(const plain::Leaves& p) {
  Numbers weights, sums(kB * kWords, 0.0);
  for (std::size_t b = 0; b < kB; ++b) {
    Numbers q;
    for (Index c = 0; c < kD; ++c) q.push_back(p["query"](static_cast<Index>(b), c));
    Numbers scores(kDoc, 0.0);
    const auto rows = plain::rows_of(p["document"], b, kDocs[b]);
    for (std::size_t i = 0; i < rows.size(); ++i) scores[i] = plain::dot(rows[i], q);
    const Numbers s = plain::softmax(scores, kDocs[b]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sums[b * kWords + static_cast<std::size_t>(kIds[b * kDoc + i])] += s[i];
    }
    weights.insert(weights.end(), s.begin(), s.end());
  }
  return plain::join({weights, sums});
}

class AttentionSums : public SeededTest<19> {
 protected:
  std::vector<Tensor> run(const Tensor& doc) const {
    const Tensor s = made(doc, query, docs());
    return {s, pointer_sum(s, ids(), kWords, docs())};
  }
  Tensor document = randn({kB, kDoc, kD}, DType::f64), query = randn({kB, kD}, DType::f64);
  const AttentionSum made;
};

TEST_F(AttentionSums, AreTheDefinition) {
  const auto leaves = leaves_of(made, {{"document", document}, {"query", query}});
  const auto ours = [&] { return run(document); };
  plain::expect_same(leaves, ours, reference);
  plain::expect_gradients(leaves, ours, 0);
}

TEST_F(AttentionSums, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor doc = plain::spoiled(document, kDocs, value), asked = query.detach();
    return plain::bits_of(leaves_of(made, {{"document", doc}, {"query", asked}}), [&] {
      const Tensor s = made(doc, asked, docs());
      return std::vector<Tensor>{s, pointer_sum(s, ids(), kWords, docs())};
    });
  });
}

TEST_F(AttentionSums, OfNothingAreZero) {
  Tensor doc = document.detach();
  doc.set_requires_grad();
  const Tensor s = made(doc, query, Mask::lengths({0, 3, 0}, kDoc));
  EXPECT_THAT(numbers(sum(s, {1})), near(Numbers{0, 1, 0}));
  s.backward(full(s.shape(), 1e9, DType::f64));
  EXPECT_EQ(sum(abs(narrow(doc.grad(), 0, 0, 1))).item(), 0);
  EXPECT_EQ(made(zeros({kB, 0, kD}), zeros({kB, kD})).shape(), (Shape{kB, 0}));
}

TEST_F(AttentionSums, RefuseWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ShapeError, "attention_sum: document must be [B, n, width]",
                    made(query, query));
  EXPECT_ERROR_WITH(ShapeError, "attention_sum: query must be [.., n, 5], not f64[3, 4]",
                    made(document, zeros({kB, 4}, DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "attention_sum: query must be [B, width], not f64[3, 7, 5]",
                    made(document, document));
  EXPECT_ERROR_WITH(ShapeError, "attention_sum: query must have 3 rows, not 2",
                    made(document, narrow(query, 0, 0, 2)));
  EXPECT_ERROR_WITH(DTypeError, "attention_sum: query must be f64",
                    made(document, to(query, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "the mask of document is one of places",
                    made(document, query, Mask::window(1, 1)));
}

TEST_F(AttentionSums, PointersRefuseWhatDoesNotFit) {
  const Tensor s = zeros({kB, kDoc});
  EXPECT_ERROR_WITH(GradError, "pointer_sum: weights is undefined", pointer_sum({}, ids(), kWords));
  EXPECT_ERROR_WITH(GradError, "pointer_sum: ids is undefined", pointer_sum(s, {}, kWords));
  EXPECT_ERROR_WITH(IndexError, "pointer_sum: id -7 of ids is not in [0, 4)",
                    pointer_sum(s, ids(), kWords));
  EXPECT_ERROR_WITH(IndexError, "pointer_sum: id 3 of ids is not in [0, 3)",
                    pointer_sum(s, ids(), 3, docs()));
  EXPECT_ERROR_WITH(DTypeError, "pointer_sum: ids must be i64, not f32[3, 7]",
                    pointer_sum(s, s, kWords));
  EXPECT_ERROR_WITH(ShapeError, "pointer_sum: weights and ids must both be [B, D], not f32[3, 7]",
                    pointer_sum(s, narrow(ids(), 1, 0, 2), kWords));
  EXPECT_ERROR_WITH(ValueError, "pointer_sum: words 0 must be positive", pointer_sum(s, ids(), 0));
}

}  // namespace
}  // namespace heed::attention
