#include "../../../../attention/mechanisms/hard/variational.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/scores/general.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/stochastic/score_estimators.h"
#include "../../../../autograd/stochastic/stochastic_gradcheck.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../borrowed.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 2, kQ = 2, kK = 3, kE = 5, kV = 4;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<Index> kLengths = {kK, 2};

struct Variational : testing::Test {
  const bool seeded_ = (manual_seed(29), true);
  Tensor query = randn({kB, kQ, kE}, DType::f64).set_requires_grad();
  Tensor knowing = randn({kB, kQ, kE}, DType::f64).set_requires_grad();
  Tensor keys = randn({kB, kK, kE}, DType::f64).set_requires_grad();
  Tensor values = randn({kB, kK, kV}, DType::f64).set_requires_grad();
  const Tensor readout = randn({kV}, DType::f64);
  const std::vector<Tensor> leaves = {query, knowing, keys, values};
  const Mask mask = Mask::lengths(kLengths, kK);
  const VariationalAttention attend;

  // -log p(y | context), of any shape [.., dv].
  Tensor nll(const Tensor& context) const { return square(sum(context * readout, {-1}) - 0.7); }
  Tensor cost(Choices& choices) const {
    const VariationalOutput out =
        attend(query, knowing, keys, values, {.mask = mask, .choices = &choices});
    return sum(nll(out.context) + out.kl, {-1});
  }
  // [B, 1, K] for all queries.
  Tensor log_likelihoods() const { return unsqueeze(-nll(values), 1); }
  VariationalOutput any() const {
    SampledChoices choices;
    return attend(query, knowing, keys, values, {.mask = mask, .choices = &choices});
  }
};

TEST_F(Variational, IsItsFormula) {
  const auto weights = [&](const Tensor& x, Index b, Index i) {
    const Numbers q = numbers(x), k = numbers(keys);
    Numbers out;
    double total = 0;
    for (Index j = 0; j < kLengths[static_cast<std::size_t>(b)]; ++j) {
      double dot = 0;
      for (Index e = 0; e < kE; ++e)
        dot += at(q, (b * kQ + i) * kE + e) * at(k, (b * kK + j) * kE + e);
      out.push_back(std::exp(dot / std::sqrt(double{kE})));
      total += out.back();
    }
    for (double& w : out) w /= total;
    return out;
  };
  const VariationalOutput out = any();
  const Numbers kl = numbers(out.kl), p = numbers(out.prior), q = numbers(out.posterior);
  const Numbers bound = numbers(out.bound(log_likelihoods()));
  const Numbers marginal = numbers(out.log_likelihood(log_likelihoods()));
  const Numbers ll = numbers(log_likelihoods());
  for (Index b = 0; b < kB; ++b) {
    for (Index i = 0; i < kQ; ++i) {
      const Numbers prior = weights(query, b, i), posterior = weights(knowing, b, i);
      double divergence = 0, elbo = 0, total = 0;
      for (Index j = 0; j < std::ssize(prior); ++j) {
        EXPECT_NEAR(at(p, (b * kQ + i) * kK + j), at(prior, j), 1e-14);
        EXPECT_NEAR(at(q, (b * kQ + i) * kK + j), at(posterior, j), 1e-14);
        divergence += at(posterior, j) * std::log(at(posterior, j) / at(prior, j));
        elbo += at(posterior, j) * at(ll, b * kK + j);
        total += at(prior, j) * std::exp(at(ll, b * kK + j));
      }
      EXPECT_NEAR(at(kl, b * kQ + i), divergence, 1e-13);
      EXPECT_NEAR(at(bound, b * kQ + i), elbo - divergence, 1e-13);
      EXPECT_NEAR(at(marginal, b * kQ + i), std::log(total), 1e-13);
      EXPECT_LT(at(bound, b * kQ + i), at(marginal, b * kQ + i)) << "it is a lower bound";
    }
  }
  EXPECT_EQ(at(p, (kQ + 1) * kK - 1), 0) << "masked";
}

// Enumerated over all choices of all queries together, value and gradients; and the bound's own,
// of both orders, against differences.
TEST_F(Variational, WhatIsHiddenIsNeverLikely) {
  const Tensor hidden = select(select(any().log_prior, 0, 1), -1, 2);
  EXPECT_EQ(numbers(hidden), Numbers(kQ, -1e30));
}

TEST_F(Variational, EnumerationIsTheExactBound) {
  const Tensor expected = enumerate([&](Choices& choices) { return cost(choices); });
  const Tensor exact = -sum(any().bound(log_likelihoods()), {-1});
  EXPECT_THAT(numbers(expected), near(exact));
  const auto have = grad({sum(expected)}, leaves), want = grad({sum(exact)}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_THAT(numbers(have[i]), near(want[i])) << i;
    EXPECT_GT(sum(abs(want[i])).item(), 1e-3);
  }
  const auto run = [&](const std::vector<Tensor>& x) {
    SampledChoices choices;
    const auto out = attend(x[0], x[1], x[2], x[3], {.mask = mask, .choices = &choices});
    const Tensor ll = unsqueeze(-nll(x[3]), 1);
    return std::vector<Tensor>{out.bound(ll), out.log_likelihood(ll), out.kl, out.prior};
  };
  const auto first = gradcheck(run, leaves, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, leaves, {.step = 1e-4});
  EXPECT_TRUE(second) << second.text();
}

TEST_F(Variational, TheBoundIsTightForTheTruePosterior) {
  // One place each: q is p(z | y) where its scores are those of the prior and the likelihood.
  const Tensor log_p = randn({kB, 1, kK}, DType::f64), ll = randn({kB, 1, kK}, DType::f64);
  const Tensor places = broadcast_to(
      reshape(tensor({1, 0, 0, 0, 1, 0, 0, 0, 1}, {3, 3}, DType::f64), {1, kK, kK}), {kB, kK, kK});
  const auto dot = std::make_shared<Dot>();
  const VariationalAttention by({.prior = dot, .posterior = dot});
  SampledChoices choices;
  const VariationalOutput out = by(log_p, log_p + ll, places, places, {.choices = &choices});
  EXPECT_THAT(numbers(out.bound(ll)), near(out.log_likelihood(ll)));
}

// The estimator of the paper: its mean is the bound's gradient, of posterior and prior alike.
TEST_F(Variational, ReinforceWithTheSoftBaselineIsUnbiased) {
  const RowCost of_queries = [&](Choices& choices, const Tensor& theta) {
    const Index n = theta.size(0);
    const auto rows = [&](const Tensor& x) {
      const Tensor one = narrow(x.detach(), 0, 0, 1);
      return expand(one, one.shape().without(0).with(0, n));
    };
    const VariationalOutput out = attend(select(theta, 1, 0), select(theta, 1, 1), rows(keys),
                                         rows(values), {.choices = &choices});
    return sum(nll(out.context) + out.kl, {-1});
  };
  const Tensor theta = stack({select(query, 0, 0), select(knowing, 0, 0)}, 0).detach();
  for (const bool soft : {true, false}) {
    SoftBaseline baseline;
    LeaveOneOut others(2);
    const auto report =
        stochastic_gradcheck(soft ? static_cast<Estimator&>(baseline) : others, of_queries, theta,
                             {.resolution = 0.1, .max_samples = 1 << 16});
    EXPECT_TRUE(report) << report.text();
    EXPECT_LT(report.detectable, 0.2);
  }
}

TEST_F(Variational, WhatIsMaskedChangesNoBit) {
  const auto run = [&](double there) {
    Array dirty_keys = keys.array().clone(), dirty_values = values.array().clone();
    dirty_keys.mutable_data<double>()[(2 * kK - 1) * kE + 1] = there;
    dirty_values.mutable_data<double>()[(2 * kK - 1) * kV + 1] = there;
    Array dirty_ll = log_likelihoods().array().clone();
    dirty_ll.mutable_data<double>()[2 * kK - 1] = there;
    Tensor k(dirty_keys), v(dirty_values), ll(dirty_ll);
    const std::vector<Tensor> all = {query, knowing, k.set_requires_grad(), v.set_requires_grad(),
                                     ll.set_requires_grad()};
    Generator generator(5);
    SampledChoices choices(3, {.generator = &generator});
    const auto out = attend(query, knowing, k, v, {.mask = mask, .choices = &choices});
    const Tensor sums =
        sum(out.kl) + sum(out.bound(ll)) + sum(out.log_likelihood(ll)) + sum(square(out.context));
    std::vector<Numbers> bits = {numbers(sums), numbers(out.prior), numbers(out.context)};
    for (const Tensor& g : grad({sums}, all)) bits.push_back(numbers(g));
    return bits;
  };
  EXPECT_EQ(run(0.25), run(kNaN));
  EXPECT_EQ(run(0.25), run(-std::numeric_limits<double>::infinity()));
}

TEST_F(Variational, AQueryThatMayAttendToNothing) {
  SampledChoices choices;
  const auto out = attend(query, knowing, keys, values,
                          {.mask = Mask::lengths({kK, 0}, kK), .choices = &choices});
  for (const Tensor& x : {out.context, out.prior, out.posterior, out.kl}) {
    EXPECT_THAT(numbers(select(x, 0, 1)), Each(0));
  }
  const Tensor marginal = out.log_likelihood(log_likelihoods());
  EXPECT_THAT(numbers(select(marginal, 0, 1)), Each(0));
  EXPECT_THAT(numbers(select(marginal, 0, 0)),
              near(select(any().log_likelihood(log_likelihoods()), 0, 0)));
  const auto grads =
      grad({sum(out.kl) + sum(out.bound(log_likelihoods())) + sum(marginal)}, leaves);
  for (const Tensor& g : grads) EXPECT_THAT(numbers(select(g, 0, 1)), Each(0));
  const auto none =
      attend(query, knowing, narrow(keys, 1, 0, 0), narrow(values, 1, 0, 0), {.choices = &choices});
  EXPECT_EQ(none.context.shape(), (Shape{kB, kQ, kV}));
  EXPECT_THAT(numbers(none.kl), Each(0));
}

TEST_F(Variational, PredictsByThePrior) {
  VariationalAttention by({.prior = std::make_shared<General>(kE, kE, DType::f64)});
  by.eval();
  const HardAttentionOutput seen = by.predict(query, keys, values, {.mask = mask});
  const Tensor soft =
      heed::attention::attend(by.prior.score, query, keys, values, {.mask = mask}).context;
  EXPECT_THAT(numbers(seen.context), near(soft));
}

TEST_F(Variational, SaysWhatIsWrong) {
  EXPECT_ERROR(
      GradError,
      "posterior: HardAttention: in training somebody must choose and record it: hand in choices, "
      "such as SampledChoices, or call eval()",
      attend(query, knowing, keys, values));
  SampledChoices choices;
  EXPECT_ERROR(ShapeError,
               "VariationalAttention: query and knowing must be of one shape but for their widths, "
               "not f64[2, 1, 5] and f64[2, 2, 5]",
               attend(narrow(query, 1, 0, 1), knowing, keys, values, {.choices = &choices}));
  EXPECT_ERROR(ShapeError,
               "VariationalOutput::bound: log_likelihoods must be [.., Q, K] as the weights "
               "f64[2, 2, 3], not f64[2, 2, 4]",
               any().bound(zeros({2, 2, 4}, DType::f64)));
  EXPECT_ERROR(ShapeError,
               "VariationalOutput::log_likelihood: log_likelihoods must be [.., Q, K] as the "
               "weights f64[2, 2, 3], not f64[4]",
               any().log_likelihood(zeros({4}, DType::f64)));
  EXPECT_ERROR(
      ValueError, "VariationalAttention: takes no score that looks back at weights",
      VariationalAttention({.posterior = std::make_shared<LocationAware>(LocationAwareOptions{
                                .query_width = kE, .key_width = kE, .hidden = 3})}));
}

}  // namespace
}  // namespace heed::attention
