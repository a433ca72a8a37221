// REBAR and RELAX against their formulas in loops, and what trains RELAX against differences: a
// fault that leaves the mean as it is only adds variance, which no check of means sees.
#include "../../../autograd/stochastic/control_variate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/autograd.h"
#include "../../../core/generator.h"
#include "../../support/numbers.h"

namespace heed {
namespace {

constexpr Index kRows = 3;
constexpr std::size_t kPlaces = 5;

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Generator generator(seed);
  return randn(shape, DType::f64, generator);
}

Numbers row_of(const Tensor& x, Index row) { return numbers(contiguous(select(x, 0, row))); }

// c(z) = eta (softmax(z / tau) . pay - 0.4)^2 + bend . z^2
struct Control {
  double tau, eta;
  Numbers pay, bend;

  double paid(const Numbers& weights) const {
    double out = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) out += weights[i] * pay[i];
    return out;
  }
  Numbers softened(const Numbers& z) const {
    Numbers out;
    double sum = 0;
    for (const double each : z) sum += std::exp(each / tau);
    for (const double each : z) out.push_back(std::exp(each / tau) / sum);
    return out;
  }
  double value(const Numbers& z) const {
    const double off = paid(softened(z)) - 0.4;
    double out = eta * off * off;
    for (std::size_t i = 0; i < kPlaces; ++i) out += bend[i] * z[i] * z[i];
    return out;
  }
  Numbers slope(const Numbers& z) const {
    const Numbers w = softened(z);
    const double mean = paid(w);
    Numbers out;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      out.push_back(eta * 2 * (mean - 0.4) * w[i] * (pay[i] - mean) / tau + 2 * bend[i] * z[i]);
    }
    return out;
  }
};

// [f(b) - c(z~)] grad log p(b) + grad c(z) - grad c(z~) of one row: z = log p + noise, b the
// largest; z~ is z in value, and depends on log p_i through 1 - exp(z_i - z_b) of it.
Numbers by_formula(const Control& c, const Numbers& logits, const Numbers& noise) {
  double sum = 0;
  for (const double each : logits) sum += std::exp(each);
  Numbers p, z;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    p.push_back(std::exp(logits[i]) / sum);
    z.push_back(std::log(p[i]) + noise[i]);
  }
  const auto b = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
  const double cost = (c.pay[b] - 0.4) * (c.pay[b] - 0.4);
  const Numbers slope = c.slope(z);
  Numbers out;
  for (std::size_t j = 0; j < kPlaces; ++j) {
    double each = (cost - c.value(z)) * ((j == b ? 1 : 0) - p[j]);
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const double of_z = (i == j ? 1 : 0) - p[j];
      each += slope[i] * of_z - slope[i] * (1 - std::exp(z[i] - z[b])) * of_z;
    }
    out.push_back(each);
  }
  return out;
}

void expect_formula(Estimator& estimator, const Control& c, const Tensor& pay) {
  const Tensor logits = drawn({kRows, kPlaces}, 19).set_requires_grad();
  Generator generator(23), same(23);
  const Tensor loss = estimator(
      [&](Choices& choices) { return square(choices.choose(logits).pick_number(pay) - 0.4); },
      &generator);
  const Tensor found = grad({loss}, {logits})[0];
  const Tensor noise = gumbel_noise(logits.shape(), DType::f64, &same);
  for (Index row = 0; row < kRows; ++row) {
    const Numbers wanted = by_formula(c, row_of(logits.detach(), row), row_of(noise, row));
    EXPECT_LT(difference(select(found, 0, row) * kRows, wanted), 1e-12) << row;
  }
}

TEST(ControlVariate, RebarIsItsFormula) {
  const Tensor pay = drawn({kPlaces}, 13);
  Rebar rebar(0.7, 1.3);
  expect_formula(rebar, {0.7, 1.3, numbers(pay), Numbers(kPlaces, 0)}, pay);
}

TEST(ControlVariate, RelaxIsItsFormula) {
  const Tensor pay = drawn({kPlaces}, 13), bend = drawn({kPlaces}, 29);
  const ControlVariate bent = [&](const Tensor& z, Index) { return sum(square(z) * bend, {-1}); };
  Relax both({.tau = 0.7, .eta = 1.3, .control = bent});
  expect_formula(both, {0.7, 1.3, numbers(pay), numbers(bend)}, pay);
  Relax alone({.eta = 0, .control = bent});
  expect_formula(alone, {1, 0, numbers(pay), numbers(bend)}, pay);
}

// Two dependent choices, whose gradients reach their own rows of theta alone.
struct Two {
  Tensor theta = drawn({kRows, 2, kPlaces}, 31).set_requires_grad();
  Tensor follow = drawn({kPlaces, kPlaces}, 37), pay = drawn({kPlaces}, 41);

  // log tau, eta, and the factor of the control variate -> the estimate, from one seed.
  Tensor operator()(Relax& relax) const {
    Generator generator(43);
    return relax(
        [this](Choices& choices) {
          const Choice one = choices.choose(select(theta, 1, 0));
          const Choice two = choices.choose(select(theta, 1, 1) + one.pick(follow));
          return square(one.pick_number(pay) + 0.6 * two.pick_number(pay) - 0.4);
        },
        &generator);
  }
  static Relax relax(double log_tau, double eta, const Tensor& factor) {
    return Relax({.tau = std::exp(log_tau),
                  .eta = eta,
                  .control =
                      [factor](const Tensor& z, Index step) {
                        return factor * sum(square(z), {-1}) * static_cast<double>(step + 1);
                      },
                  .parameters = {factor}});
  }
  // sum |gradient|^2 at the logits, the mean over rows.
  double squares(double log_tau, double eta, double factor) const {
    Relax at = relax(log_tau, eta, tensor(factor, DType::f64).set_requires_grad());
    const Tensor of_mean = grad({(*this)(at)}, {theta})[0];
    return sum(square(of_mean)).item() * kRows;
  }
};

TEST(ControlVariate, WhatRelaxLearnsHasTheGradientOfTheSquares) {
  const Two two;
  const double log_tau = -0.3, eta = 0.8, factor = 0.2, step = 1e-5;
  Relax relax = Two::relax(log_tau, eta, tensor(factor, DType::f64).set_requires_grad());
  const std::vector<Tensor> parameters = relax.parameters();
  ASSERT_EQ(parameters.size(), 3U);  // the control variate's own, log tau, eta
  const auto found = grad({two(relax)}, parameters);
  const auto expect = [&](std::size_t i, double above, double below) {
    const double wanted = (above - below) / (2 * step);
    EXPECT_GT(std::abs(wanted), 1e-3) << i;
    EXPECT_NEAR(found[i].item(), wanted, 1e-7 * (1 + std::abs(wanted))) << i;
  };
  expect(0, two.squares(log_tau, eta, factor + step), two.squares(log_tau, eta, factor - step));
  expect(1, two.squares(log_tau + step, eta, factor), two.squares(log_tau - step, eta, factor));
  expect(2, two.squares(log_tau, eta + step, factor), two.squares(log_tau, eta - step, factor));
}

}  // namespace
}  // namespace heed
