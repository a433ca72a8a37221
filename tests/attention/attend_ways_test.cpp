// What a call gives in tiles and what it gives by its block are the same: of rows that biases hide,
// of values with axes of their own, of what is seen through a map.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../attention/attend.h"
#include "../../attention/maps/maps.h"
#include "../../attention/merge.h"
#include "../../attention/normalisers/sigmoid.h"
#include "../../attention/normalisers/sparse.h"
#include "../../attention/scores/feature_wise.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "numbers.h"
#include "query_keys_values.h"

namespace heed::attention {
namespace {

constexpr Index kQ = 5, kK = 7, kD = 11, kDv = 13;
constexpr double kInf = std::numeric_limits<double>::infinity();

// Query 0 has a bias of -infinity everywhere, query 1 where the mask leaves it something.
TEST(AttendWays, ARowThatItsBiasHidesIsZero) {
  QueryKeysValues in(41, {2, 3, kQ, kD}, {2, 3, kK, kD}, {2, 3, kK, kDv});
  for (Tensor* leaf : {&in.query, &in.keys, &in.values}) leaf->set_requires_grad();
  const Tensor j = arange(kK), i = unsqueeze(arange(kQ), 1);
  const Mask open(logical_or(j < 4, i != 1));
  const Tensor hidden = logical_or(i == 0, logical_and(i == 1, j < 4));
  const Tensor bias = where(hidden, -kInf, zeros({kQ, kK}, DType::f64));
  const Mask both = open & Mask(logical_not(hidden));
  const Sparsemax sparsemax;
  const NormalisedSigmoid sigmoid;
  for (const Normaliser* normaliser :
       std::vector<const Normaliser*>{nullptr, &sparsemax, &sigmoid}) {
    for (const bool need_weights : {false, true}) {
      const auto of = [&](const Terms& terms) {
        Terms own = terms;
        own.normaliser = normaliser;
        own.need_weights = need_weights;
        own.need_log_sums = normaliser == nullptr;
        const Attended seen = attend(in.query, in.keys, in.values, own);
        std::vector<Tensor> all = {seen.context};
        if (need_weights) all.push_back(seen.weights);
        for (const bool again : {false, true}) {
          const auto gradients = grad({sum(square(seen.context))}, {in.query, in.keys, in.values},
                                      {}, {.retain_graph = true, .create_graph = again});
          all.insert(all.end(), gradients.begin(), gradients.end());
        }
        if (seen.log_sums.defined()) {
          EXPECT_TRUE(heed::all(narrow(seen.log_sums, -1, 0, 2) == -kInf));
          all.push_back(narrow(seen.log_sums, -1, 2, kQ - 2));
        }
        return all;
      };
      const auto found = of({.mask = open, .bias = bias}), wanted = of({.mask = both});
      EXPECT_EQ(sum(abs(narrow(found[0], 2, 0, 2))).item(), 0);
      for (std::size_t n = 0; n < wanted.size(); ++n) {
        EXPECT_LT(difference(found[n], wanted[n]), 1e-12) << n << ", weights " << need_weights;
      }
    }
  }
}

// As a mask over the features of a score of each.
TEST(AttendWays, ARowOfFeaturesThatItsBiasHidesIsZero) {
  const QueryKeysValues in(42, {2, kQ, kD}, {2, kK, kD}, {2, kK, kDv});
  const FeatureWise score(kD, kD, 3, kDv, DType::f64);
  const Tensor bias = where(unsqueeze(arange(kQ), 1) == 0, -kInf, zeros({kQ, kK}, DType::f64));
  const Tensor seen = attend(score, in.query, in.keys, in.values, {.bias = bias}).context;
  EXPECT_EQ(sum(abs(select(seen, 1, 0))).item(), 0);
  EXPECT_LT(difference(narrow(seen, 1, 1, kQ - 1),
                       narrow(attend(score, in.query, in.keys, in.values).context, 1, 1, kQ - 1)),
            1e-12);
}

TEST(AttendWays, ValuesMayHaveAxesOfTheirOwn) {
  QueryKeysValues in(43, {kQ, kD}, {kK, kD}, {2, 3, kK, kDv});
  for (Tensor* leaf : {&in.query, &in.keys, &in.values}) leaf->set_requires_grad();
  std::vector<Terms> ways(4);
  ways[1].mask = Mask::lengths({kK, 4}, kK) & Mask::window(5, 2);
  ways[1].bias = randn({3, kQ, kK}, DType::f64);
  ways[2].sinks = randn({3}, DType::f64);
  ways[2].map = maps::slopes(rand({3}, DType::f64));
  ways[3].dropout = 0.4;
  const Tensor rows = indices({4, 0, 3}, {3});
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const auto of = [&](bool need_weights) {
      Generator generator(3);
      Terms terms = ways[way];
      terms.generator = &generator;
      terms.need_weights = need_weights;
      terms.need_statistics = terms.need_log_sums = true;
      const Attended seen = attend(in.query, in.keys, in.values, terms);
      EXPECT_EQ(seen.log_sums.shape(), (Shape{2, 3, kQ}));
      EXPECT_EQ(seen.statistics.rows(rows).shape(), (Shape{2, 3, 3, kK}));
      std::vector<Tensor> all = {seen.context, seen.log_sums, seen.statistics.rows(rows),
                                 seen.statistics.received(), seen.statistics.entropies()};
      const Tensor loss = sum(square(seen.context)) + sum(square(seen.log_sums));
      for (const Tensor& each : grad({loss}, {in.query, in.keys, in.values})) all.push_back(each);
      return all;
    };
    const auto tiled = of(false), whole = of(true);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      EXPECT_LT(difference(tiled[n], whole[n]), 1e-11) << n << ", way " << way;
    }
  }
  // And parts of either kind are merged.
  const auto part = [&](Index first, Index count, bool need_weights) {
    return attend(in.query, narrow(in.keys, 0, first, count), narrow(in.values, 2, first, count),
                  {.need_weights = need_weights, .need_log_sums = true});
  };
  EXPECT_LT(difference(merge({part(0, 3, true), part(3, 4, false)}).context,
                       attend(in.query, in.keys, in.values).context),
            1e-12);
}

TEST(AttendWays, StatisticsSeeThroughAMap) {
  const QueryKeysValues in(44, {2, 3, kQ, kD}, {2, 3, kK, kD}, {2, 3, kK, kDv});
  Terms terms{.map = maps::soft_cap(0.5), .need_statistics = true};
  const AttentionStatistics found = attend(in.query, in.keys, in.values, terms).statistics;
  terms.need_weights = true;
  const Tensor weights = attend(in.query, in.keys, in.values, terms).weights;
  const Tensor rows = indices({3, 0}, {2});
  EXPECT_LT(difference(found.rows(rows), index_select(weights, 2, rows)), 1e-12);
  EXPECT_LT(difference(found.received(), sum(weights, {2})), 1e-12);
  EXPECT_LT(difference(found.entropies(), -sum(weights * log(weights), {-1})), 1e-12);
}

}  // namespace
}  // namespace heed::attention
