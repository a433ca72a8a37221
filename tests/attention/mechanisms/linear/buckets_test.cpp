// What attends within buckets of places, beside its paper's formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../attention/mechanisms/linear/reformer.h"
#include "../../../../attention/mechanisms/linear/routing.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "formula.h"

namespace heed::attention {
namespace {

using namespace formula;  // NOLINT

// softmax over those in the query's bucket in any round, itself only where there is nothing else.
Rows within(const Rows& q, const Rows& k, const Rows& v,
            const std::vector<std::vector<Index>>& rounds, bool causal) {
  Rows out;
  const Index n = std::ssize(k);
  for (Index i = 0; i < n; ++i) {
    Numbers scores;
    std::vector<Index> seen;
    for (Index j = 0; j < (causal ? i + 1 : n); ++j) {
      const bool same = std::any_of(rounds.begin(), rounds.end(), [&](const auto& bucket) {
        return bucket[z(i)] == bucket[z(j)];
      });
      if (!same || i == j) continue;
      seen.push_back(j);
      scores.push_back(plain::dot(q[z(i)], k[z(j)]) / std::sqrt(double{kD}));
    }
    if (seen.empty()) {
      seen = {i};
      scores = {0};
    }
    const Numbers p = plain::softmax(scores, std::ssize(scores));
    out.emplace_back(kD);
    for (std::size_t s = 0; s < seen.size(); ++s) {
      for (Index d = 0; d < kD; ++d) at(out.back(), d) += p[s] * at(v[z(seen[s])], d);
    }
  }
  out.resize(kT, Numbers(kD));
  return out;
}
Index largest_at(const Numbers& x) { return std::max_element(x.begin(), x.end()) - x.begin(); }

class Bucketed : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Causal, Bucketed, testing::Bool());

TEST_P(Bucketed, ReformerIsItsFormula) {
  manual_seed(13);
  Reformer made({.width = kE, .heads = kH, .buckets = 4, .rounds = 3, .dtype = kDType});
  const Block R(made.rotations);
  expect_formula(
      made,
      [&](const Row& row) {
        return out_projected(row, joined([&](Index h) {
                               const Rows q = row.head("qk_proj", h, row.n);
                               Rows k = q;
                               for (Numbers& each : k) {
                                 const double length = std::sqrt(plain::dot(each, each) + 1e-6);
                                 for (double& number : each) number /= length;
                               }
                               std::vector<std::vector<Index>> rounds(3);
                               for (Index r = 0; r < 3; ++r) {
                                 for (const Numbers& each : q) {
                                   Numbers p(4);
                                   for (Index c = 0; c < 2; ++c) {
                                     for (Index d = 0; d < kD; ++d) {
                                       at(p, c) += at(each, d) * R(r, d, c);
                                       at(p, c + 2) -= at(each, d) * R(r, d, c);
                                     }
                                   }
                                   rounds[z(r)].push_back(largest_at(p));
                                 }
                               }
                               return within(q, k, row.head("v_proj", h, row.n), rounds,
                                             GetParam());
                             }));
      },
      GetParam(), -1);
}

TEST_P(Bucketed, RoutingIsItsFormula) {
  manual_seed(17);
  Routing made({.width = kE, .heads = kH, .centroids = 2, .dtype = kDType});
  const Block mu(made.centroids);
  expect_formula(
      made,
      [&](const Row& row) {
        return out_projected(row, joined([&](Index h) {
                               Rows q = row.head("qk_proj", h, row.n);
                               std::vector<Index> nearest;
                               for (Numbers& each : q) {
                                 double mean = 0, squares = 0;
                                 for (const double number : each) mean += number / kD;
                                 for (const double number : each) {
                                   squares += (number - mean) * (number - mean) / kD;
                                 }
                                 for (double& number : each) {
                                   number = (number - mean) / std::sqrt(squares + 1e-5);
                                 }
                                 Numbers p(2);
                                 for (Index c = 0; c < 2; ++c) {
                                   for (Index d = 0; d < kD; ++d)
                                     at(p, c) += at(each, d) * mu(h, c, d);
                                 }
                                 nearest.push_back(largest_at(p));
                               }
                               return within(q, q, row.head("v_proj", h, row.n), {nearest},
                                             GetParam());
                             }));
      },
      GetParam(), -1);
}

// Tiles of others are skipped, and the first steps do not know what follows.
TEST(Buckets, OfLongSequencesAreCausal) {
  manual_seed(19);
  const NoGrad off;
  const Reformer reformer({.width = 16, .heads = 2, .buckets = 8, .rounds = 2, .dtype = kDType});
  const Routing routing({.width = 16, .heads = 2, .centroids = 4, .dtype = kDType});
  const Tensor x = randn({2, 301, 16}, kDType), start = narrow(x, 1, 0, 150);
  const Terms causal{.mask = Mask::causal()};
  for (const SelfAttention* made : {static_cast<const SelfAttention*>(&reformer),
                                    static_cast<const SelfAttention*>(&routing)}) {
    const Tensor whole = (*made)(x, causal).context;
    EXPECT_THAT(numbers((*made)(start, causal).context), near(narrow(whole, 1, 0, 150), 1e-12));
    const Attended seen = (*made)(x, {.mask = Mask::causal(), .need_weights = true});
    EXPECT_EQ(seen.weights.shape(), (Shape{2, 2, 301, 301}));
    EXPECT_THAT(numbers(seen.context), near(whole, 1e-12));
    EXPECT_THAT(numbers(sum(seen.weights, {-1})), testing::Each(testing::DoubleNear(1, 1e-12)));
  }
}

TEST(Routing, MovesItsCentroids) {
  manual_seed(23);
  Routing made({.width = kE, .heads = kH, .centroids = 2, .dtype = kDType});
  const Tensor x = randn({1, 400, kE}, kDType);
  const auto same = [&] {  // the share of places that see another
    const Attended seen = made(x, {.need_weights = true});
    return mean(to(seen.weights > 0, kDType)).item();
  };
  const Numbers before = numbers(made.centroids);
  made.refit(x, 1);
  EXPECT_EQ(numbers(made.centroids), before);
  // Between what they were and the means of their members.
  const Tensor start = tensor(before, made.centroids.shape(), kDType);
  made.refit(x, 0);
  const Tensor means = tensor(numbers(made.centroids), made.centroids.shape(), kDType);
  made.centroids.copy_from(start);
  made.refit(x, 0.25);
  EXPECT_LT(amax(abs(made.centroids - (0.25 * start + 0.75 * means))).item(), 1e-12);
  made.centroids.copy_from(start);
  for (int i = 0; i < 20; ++i) made.refit(x, 0.5);
  EXPECT_GT(amax(abs(made.centroids - tensor(before, made.centroids.shape(), kDType))).item(), 0.1);
  EXPECT_LT(same(), 0.75);
  EXPECT_ERROR(ValueError, "routing: decay 2 is not in [0, 1]", made.refit(x, 2));
}

}  // namespace
}  // namespace heed::attention
