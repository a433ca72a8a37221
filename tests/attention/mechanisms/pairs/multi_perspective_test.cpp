#include "../../../../attention/mechanisms/pairs/multi_perspective.h"

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

constexpr Index kB = 4, kN = 5, kM = 4, kH = 3, kL = 2;
const std::vector<Index> kPremises = {kN, 2, 0, 3}, kHypotheses = {3, kM, 2, 0};

double cosine(const Numbers& a, const Numbers& b) {
  const double lengths[] = {std::sqrt(plain::dot(a, a)), std::sqrt(plain::dot(b, b))};
  return plain::dot(a, b) / (std::max(lengths[0], 1e-8) * std::max(lengths[1], 1e-8));
}

// In each perspective.
Numbers f(const Block& W, Index direction, const Numbers& v, const Numbers& other) {
  Numbers out;
  for (Index k = 0; k < kL; ++k) {
    Numbers a = v, b = other;
    for (Index d = 0; d < kH; ++d) {
      at(a, d) *= W(direction, k, d);
      at(b, d) *= W(direction, k, d);
    }
    out.push_back(cosine(a, b));
  }
  return out;
}

struct Matched {
  Numbers full, most, mean, nearest, weights;
};

// p against the states of q, as many as count, all of one direction.
Matched matched(const Leaves& w, Index direction, const Numbers& p, const Rows& q, Index places) {
  Matched out;
  Numbers zero(kL, 0.0);
  out.full = out.most = out.mean = out.nearest = zero;
  out.weights = Numbers(static_cast<std::size_t>(places), 0.0);
  if (q.empty()) return out;
  out.full = f(w["full"], direction, p, direction == 0 ? q.back() : q.front());
  out.most = Numbers(kL, -1e300);
  std::size_t nearest = 0;
  double total = 0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Numbers m = f(w["max_pooling"], direction, p, q[j]);
    for (Index k = 0; k < kL; ++k) at(out.most, k) = std::max(at(out.most, k), at(m, k));
    out.weights[j] = cosine(p, q[j]);
    total += out.weights[j];
    if (out.weights[j] > out.weights[nearest]) nearest = j;
  }
  Numbers mean(kH, 0.0);
  for (std::size_t j = 0; j < q.size(); ++j) {
    out.weights[j] /= total;
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += out.weights[j] * q[j][d];
  }
  out.mean = f(w["attentive"], direction, p, mean);
  out.nearest = f(w["max_attentive"], direction, p, q[nearest]);
  return out;
}

Rows halves(const Rows& rows, Index direction) {
  Rows out;
  for (const Numbers& row : rows) {
    out.emplace_back(row.begin() + direction * kH, row.begin() + (direction + 1) * kH);
  }
  return out;
}

// One way: the matchings and the weights.
std::pair<Numbers, Numbers> plain_way(const Leaves& w, const std::string& own,
                                      const std::vector<Index>& own_lengths, Index own_places,
                                      const std::string& other,
                                      const std::vector<Index>& other_lengths, Index places) {
  Numbers all, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows p = plain::rows_of(w[own], b, own_lengths[b]);
    const Rows q = plain::rows_of(w[other], b, other_lengths[b]);
    Rows of[2];
    for (std::size_t i = 0; static_cast<Index>(i) < own_places; ++i) {
      if (i >= p.size()) {
        all.resize(all.size() + 8 * kL, 0.0);
        for (Rows& each : of) each.emplace_back(static_cast<std::size_t>(places), 0.0);
        continue;
      }
      Matched m[2];
      for (const Index way : {0, 1}) {
        m[way] = matched(w, way, halves(p, way)[i], halves(q, way), places);
        of[way].push_back(m[way].weights);
      }
      all = plain::join({all, m[0].full, m[1].full, m[0].most, m[1].most, m[0].mean, m[1].mean,
                         m[0].nearest, m[1].nearest});
    }
    weights = plain::join({weights, plain::join(of[0]), plain::join(of[1])});
  }
  return {all, weights};
}

Numbers plain_matching(const Leaves& w) {
  const auto there = plain_way(w, "p", kPremises, kN, "q", kHypotheses, kM);
  const auto back = plain_way(w, "q", kHypotheses, kM, "p", kPremises, kN);
  return plain::join({there.first, back.first, there.second, back.second});
}

class MultiPerspectives : public SeededTest<71> {
 protected:
  const MultiPerspectiveMatching made{{.hidden = kH, .perspectives = kL, .dtype = DType::f64}};
  Tensor p = randn({kB, kN, 2 * kH}, DType::f64), q = randn({kB, kM, 2 * kH}, DType::f64);
  const Mask of_p = Mask::lengths(kPremises, kN), of_q = Mask::lengths(kHypotheses, kM);
};

TEST_F(MultiPerspectives, AreThePapersSums) {
  const auto leaves = leaves_of(made, {{"p", p}, {"q", q}});
  const auto ours = [&] {
    const MultiPerspectiveOutput seen = made(p, q, of_p, of_q, true);
    return std::vector<Tensor>{seen.premise, seen.hypothesis, seen.premise_weights,
                               seen.hypothesis_weights};
  };
  plain::expect_same(leaves, ours, plain_matching, 3e-5);
  plain::expect_gradients(
      leaves,
      [&] {
        const MultiPerspectiveOutput seen = made(p, q, of_p, of_q);
        return std::vector<Tensor>{seen.premise, seen.hypothesis};
      },
      4);
  EXPECT_FALSE(made(p, q).premise_weights.defined());
}

// A state that is nothing has no direction: its cosines are 0, and gradients stay finite.
TEST_F(MultiPerspectives, AStateOfZerosIsLikeNone) {
  const Tensor none = zeros({kB, kN, 2 * kH}, DType::f64).set_requires_grad();
  const MultiPerspectiveOutput seen = made(none, q);
  EXPECT_EQ(amax(abs(seen.premise)).item(), 0);
  sum(square(seen.hypothesis) + sum(seen.premise)).backward();
  EXPECT_TRUE(std::isfinite(sum(none.grad()).item()));
}

// The last place that counts is where the forward reading ended, wherever it stands.
TEST_F(MultiPerspectives, AnyMaskSaysWhatCounts) {
  const Mask holes(tensor({0.0, 1.0, 1.0, 0.0}) > 0.5);
  const Tensor seen = made(p, q, Mask(), holes).premise;
  EXPECT_THAT(numbers(seen), near(made(p, narrow(q, 1, 1, 2)).premise));
}

TEST_F(MultiPerspectives, EachStrategyStandsByItself) {
  const Tensor whole = made(p, q, of_p, of_q).hypothesis;
  for (Index s = 0; s < 4; ++s) {
    const MultiPerspectiveMatching one({.hidden = kH,
                                        .perspectives = kL,
                                        .full = s == 0,
                                        .max_pooling = s == 1,
                                        .attentive = s == 2,
                                        .max_attentive = s == 3,
                                        .dtype = DType::f64});
    EXPECT_EQ(one.width(), 2 * kL);
    ASSERT_EQ(one.parameters().size(), 1U);
    one.parameters().front().detach().copy_from(made.parameters()[static_cast<std::size_t>(s)]);
    EXPECT_THAT(numbers(one(p, q, of_p, of_q).hypothesis),
                near(narrow(whole, -1, s * 2 * kL, 2 * kL)));
    EXPECT_TRUE(one(p, q, of_p, of_q, true).premise_weights.defined());
  }
}

TEST_F(MultiPerspectives, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(p, kPremises, value), b = plain::spoiled(q, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"p", a}, {"q", b}}), [&] {
      const MultiPerspectiveOutput seen = made(a, b, of_p, of_q, true);
      return std::vector<Tensor>{seen.premise, seen.hypothesis, seen.premise_weights};
    });
  });
}

TEST_F(MultiPerspectives, MatchNothing) {
  const auto none = [](Index B, Index n) { return zeros({B, n, 2 * kH}, DType::f64); };
  EXPECT_EQ(made(none(0, kN), none(0, kM)).premise.shape(), (Shape{0, kN, 8 * kL}));
  const MultiPerspectiveOutput seen = made(p, none(kB, 0), Mask(), Mask(), true);
  EXPECT_EQ(amax(abs(seen.premise)).item(), 0);
  EXPECT_EQ(seen.hypothesis.shape(), (Shape{kB, 0, 8 * kL}));
  EXPECT_EQ(seen.premise_weights.shape(), (Shape{kB, 2, kN, 0}));
}

TEST_F(MultiPerspectives, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "multi_perspective: premise must be [.., n, 6], not f64[4, 5, 4]",
               made(narrow(p, 2, 0, 4), q));
  EXPECT_ERROR(ShapeError, "multi_perspective: hypothesis must have 4 rows, not 2: f64[2, 4, 6]",
               made(p, narrow(q, 0, 0, 2)));
  EXPECT_ERROR(DTypeError, "multi_perspective: hypothesis must be f64, not f32[4, 4, 6]",
               made(p, to(q, DType::f32)));
  EXPECT_ERROR(ValueError, "multi_perspective: hidden 0 and perspectives 20 must be positive",
               MultiPerspectiveMatching none({}));
  EXPECT_ERROR(ValueError, "multi_perspective: no strategy",
               MultiPerspectiveMatching none({.hidden = kH,
                                              .full = false,
                                              .max_pooling = false,
                                              .attentive = false,
                                              .max_attentive = false}));
}

}  // namespace
}  // namespace heed::attention
