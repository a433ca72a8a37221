#include "../../../../attention/mechanisms/transformer/mixture_of_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/elementwise/in_place.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 5, kE = 3, kHidden = 4, kN = 5, kK = 2;
const std::vector<bool> kReal = {true, true, false, true, true, true, false, true, true, false};

MixtureOfExpertsOptions options(bool gated) {
  return {.width = kE,
          .hidden = kHidden,
          .experts = kN,
          .chosen = kK,
          .activation = gated ? Activation::swiglu : Activation::relu,
          .dtype = DType::f64};
}

// Token by token; outputs, then the balance.
Numbers plain_mixture(const Leaves& p, bool gated, bool masked) {
  Numbers outputs, mean(kN, 0.0), share(kN, 0.0);
  double tokens = 0;
  for (std::size_t b = 0; b < kB; ++b) {
    std::size_t t = b * kT;
    for (const Numbers& x : plain::rows_of(p["x"], b, kT)) {
      if (masked && !kReal[t++]) {
        outputs.insert(outputs.end(), kE, 0.0);
        continue;
      }
      ++tokens;
      const Numbers logits = plain::affine(p["router.weight"], x);
      const Numbers all = plain::softmax(logits, kN);
      for (std::size_t e = 0; e < kN; ++e) mean[e] += all[e];
      std::vector<Index> order(kN);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(),
                [&](Index i, Index j) { return at(logits, i) > at(logits, j); });
      Numbers best;
      for (Index i = 0; i < kK; ++i) best.push_back(at(logits, order[static_cast<std::size_t>(i)]));
      const Numbers gates = plain::softmax(best, kK);
      Numbers y(kE, 0.0);
      for (Index i = 0; i < kK; ++i) {
        const Index e = order[static_cast<std::size_t>(i)];
        ++at(share, e);
        const std::string own = "experts." + std::to_string(e) + '.';
        Numbers inner = plain::affine(p[own + "linear1.weight"], x);
        if (gated) {
          const Numbers gate = plain::affine(p[own + "linear_gate.weight"], x);
          for (Index d = 0; d < kHidden; ++d) {
            at(inner, d) *= plain::sigmoid(at(inner, d)) * at(gate, d);
          }
        } else {
          for (double& each : inner) each = std::max(each, 0.0);
        }
        const Numbers z = plain::affine(p[own + "linear2.weight"], inner);
        for (Index d = 0; d < kE; ++d) at(y, d) += at(gates, i) * at(z, d);
      }
      outputs.insert(outputs.end(), y.begin(), y.end());
    }
  }
  double balance = 0;
  for (std::size_t e = 0; e < kN; ++e) balance += share[e] / (tokens * kK) * mean[e] / tokens * kN;
  outputs.push_back(balance);
  return outputs;
}

class Mixtures : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  const bool seeded_ = (manual_seed(52), true);  // before what is drawn below
  Mixtures() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 1);
  }
  MixtureOfExperts made{options(std::get<0>(GetParam()))};
  Tensor x = randn({kB, kT, kE}, DType::f64);
  Tensor real() const {
    return std::get<1>(GetParam()) ? Tensor(Array::from(kReal, {kB, kT})) : Tensor();
  }
};

INSTANTIATE_TEST_SUITE_P(All, Mixtures, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param) ? "gated" : "relu") +
                                  (std::get<1>(each.param) ? "_masked" : "");
                         });

TEST_P(Mixtures, AreThePapersSums) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const MixtureOutput seen = made(x, real());
    return std::vector<Tensor>{seen.output, seen.balance};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& p) {
    return plain_mixture(p, std::get<0>(GetParam()), std::get<1>(GetParam()));
  });
  plain::expect_gradients(leaves, ours, 3);
}

// No token is dropped, whatever the load.
TEST_P(Mixtures, DropNoToken) {
  nn::zeros_(made.router.weight);
  fill_(narrow(made.router.weight.detach(), 0, 3, 1), 1e-3);
  const MixtureOutput seen = made(abs(x) + 1, real());
  const Index tokens = std::get<1>(GetParam()) ? 7 : kB * kT;
  EXPECT_EQ(seen.load[3], tokens);
  EXPECT_EQ(std::accumulate(seen.load.begin(), seen.load.end(), Index{0}), tokens * kK);
  const auto chosen = seen.chosen.array().to_vector<Index>();
  for (std::size_t i = 0; i < chosen.size(); i += kK) {
    const bool counts = !std::get<1>(GetParam()) || kReal[i / kK];
    EXPECT_EQ(chosen[i], counts ? 3 : -1);
  }
}

TEST_P(Mixtures, WhatDoesNotCountChangesNoBit) {
  if (!std::get<1>(GetParam())) GTEST_SKIP() << "everything counts";
  const auto leaves = leaves_of(made, {});
  plain::expect_hidden([&](double value) {
    Array dirty = x.array().clone();
    for (std::size_t t = 0; t < kReal.size(); ++t) {
      if (!kReal[t]) dirty.mutable_data<double>()[t * kE] = value;
    }
    return plain::bits_of(leaves, [&] {
      const MixtureOutput seen = made(Tensor(dirty), real());
      return std::vector<Tensor>{seen.output, seen.balance};
    });
  });
}

TEST(MixtureOfExperts, AnEvenRouterIsBalanced) {
  MixtureOfExperts made(options(true));
  nn::zeros_(made.router.weight);
  EXPECT_NEAR(made(randn({7, kE}, DType::f64)).balance.item(), 1, 1e-12);
  const MixtureOutput none = made(zeros({0, kE}, DType::f64));
  EXPECT_EQ(none.output.shape(), (Shape{0, kE}));
  EXPECT_EQ(none.balance.item(), 0);
}

TEST(MixtureOfExperts, OneTokenIsAllOfTheLoadOfItsExpert) {
  manual_seed(67);
  const MixtureOfExperts made(
      {.width = kE, .hidden = 2, .experts = 4, .chosen = 1, .dtype = DType::f64});
  const Tensor x = randn({1, kE}, DType::f64);
  const Tensor p = softmax(made.router(x), -1);
  EXPECT_NEAR(made(x).balance.item(), 4 * amax(p).item(), 1e-12);
}

TEST(MixtureOfExperts, RefuseWhatDoesNotFit) {
  const MixtureOfExperts made(options(true));
  EXPECT_ERROR(ShapeError, "mixture_of_experts: x must be [.., n, 3], not f64[2, 4]",
               made(zeros({2, 4}, DType::f64)));
  EXPECT_ERROR(DTypeError, "mixture_of_experts: x must be f64, not f32[2, 3]", made(zeros({2, 3})));
  EXPECT_ERROR(ShapeError, "mixture_of_experts: real must be bool [2], not f64[2]",
               made(zeros({2, 3}, DType::f64), zeros({2}, DType::f64)));
  EXPECT_ERROR(ShapeError, "mixture_of_experts: real must be bool [2], not bool[3]",
               made(zeros({2, 3}, DType::f64), Tensor(Array::zeros({3}, DType::boolean))));
  EXPECT_ERROR(ValueError, "mixture_of_experts: width 3, hidden 0 and experts 4 must be positive",
               MixtureOfExperts({.width = 3, .experts = 4}));
  EXPECT_ERROR(ValueError, "mixture_of_experts: chosen 0 is not in [1, 4]",
               MixtureOfExperts({.width = 3, .hidden = 2, .experts = 4, .chosen = 0}));
  EXPECT_NO_THROW(MixtureOfExperts({.width = 3, .hidden = 2, .experts = 4, .chosen = 4}));
  EXPECT_ERROR(ValueError, "mixture_of_experts: chosen 5 is not in [1, 4]",
               MixtureOfExperts({.width = 3, .hidden = 2, .experts = 4, .chosen = 5}));
}

}  // namespace
}  // namespace heed::attention
