// What is drawn has the distribution it should have, and its log-probability is the right one.
#include "../../../autograd/stochastic/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../../autograd/autograd.h"
#include "../../../core/core.h"
#include "../../support/throws.h"

namespace heed {
namespace {

constexpr Index kDraws = 1000000;
constexpr double kZ = 4.7534;  // P(N > z) = 1e-6

// P(chi^2 > this) = 1e-6 (Wilson and Hilferty's approximation).
double chi_squared_bound(double freedom) {
  const double step = 2 / (9 * freedom);
  return freedom * std::pow(1 - step + kZ * std::sqrt(step), 3);
}

double chi_squared(const std::vector<Index>& drawn, const std::vector<double>& probs) {
  std::vector<double> counts(probs.size());
  for (const Index i : drawn) counts[static_cast<std::size_t>(i)] += 1;
  double out = 0;
  for (std::size_t i = 0; i < probs.size(); ++i) {
    const double expected = probs[i] * static_cast<double>(drawn.size());
    if (expected > 0) out += std::pow(counts[i] - expected, 2) / expected;
  }
  return out;
}

const std::vector<double> kProbs = {0.05, 0.3, 0, 0.15, 0.001, 0.279, 0.22};

TEST(Categorical, PassesAChiSquaredTest) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Generator generator(17);
    const auto from = Categorical::from_probs(tensor(kProbs, {7}, dtype));
    const auto drawn = from.sample(kDraws, &generator).array().to_vector<Index>();
    EXPECT_LT(chi_squared(drawn, kProbs), chi_squared_bound(5));
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 2), 0) << "a place of probability 0";
  }
}

TEST(Categorical, PassesAChiSquaredTestFromLogitsOfManyRows) {
  std::vector<double> logits;
  for (const double p : kProbs) logits.push_back(std::log(p) + 3);  // -infinity among them
  Generator generator(18);
  const Tensor rows = clone(expand(tensor(logits, {7}, DType::f64), {kDraws, 7}));
  const auto drawn = Categorical::from_logits(rows).sample(0, &generator);
  EXPECT_EQ(drawn.shape(), Shape{kDraws});
  EXPECT_LT(chi_squared(drawn.array().to_vector<Index>(), kProbs), chi_squared_bound(5));
}

TEST(Categorical, DrawsEachRowFromItsOwnProbabilities) {
  Generator generator(19);
  const Tensor probs = tensor({0.5, 0.25, 0.25, 0.1, 0.2, 0.7}, {2, 3}, DType::f64);
  const Tensor drawn = Categorical::from_probs(probs).sample(kDraws, &generator);
  EXPECT_EQ(drawn.shape(), (Shape{kDraws, 2}));
  for (Index row = 0; row < 2; ++row) {
    const auto places = clone(select(drawn, 1, row)).array().to_vector<Index>();
    EXPECT_LT(chi_squared(places, select(probs, 0, row).array().to_vector<double>()),
              chi_squared_bound(2));
  }
}

TEST(Categorical, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor probs = softmax(randn({1031, 197}), -1);
  const int before = num_threads();
  std::vector<std::vector<Index>> drawn;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    Generator generator(20);
    drawn.push_back(
        Categorical::from_probs(probs).sample(5, &generator).array().to_vector<Index>());
  }
  set_num_threads(before);
  EXPECT_EQ(drawn[0], drawn[1]);
}

TEST(Categorical, UsesTheDefaultGeneratorWhereNoneIsGiven) {
  const auto from = Categorical::from_logits(zeros({64, 97}));
  manual_seed(3);
  const auto first = from.sample().array().to_vector<Index>();
  EXPECT_NE(from.sample().array().to_vector<Index>(), first);
  manual_seed(3);
  EXPECT_EQ(from.sample().array().to_vector<Index>(), first);
}

TEST(Categorical, HasTheRightLogProbabilitiesAndGradients) {
  Generator generator(21);
  const Tensor logits = randn({3, 2, 5}, DType::f64, generator);
  const Tensor places = Categorical::from_logits(logits).sample(4, &generator);
  const Tensor expected =
      sum(log_softmax(logits, -1) * one_hot(places, 5, DType::f64), {-1});  // [4, 3, 2]
  const Tensor got = Categorical::from_logits(logits).log_prob(places);
  ASSERT_EQ(got.shape(), (Shape{4, 3, 2}));
  EXPECT_LT(amax(abs(got - expected)).item(), 1e-14);

  const auto from_logits = [&](const std::vector<Tensor>& x) {
    const auto from = Categorical::from_logits(x[0]);
    return std::vector<Tensor>{from.log_prob(places), from.entropy(), from.probs()};
  };
  EXPECT_TRUE(gradcheck(TensorFunction(from_logits), {logits}));
  EXPECT_TRUE(gradgradcheck(TensorFunction(from_logits), {logits}));
  const auto from_probs = [&](const std::vector<Tensor>& x) {
    const auto from = Categorical::from_probs(softmax(x[0], -1));
    return std::vector<Tensor>{from.log_prob(places), from.entropy(), from.log_probs()};
  };
  EXPECT_TRUE(gradcheck(TensorFunction(from_probs), {logits}));
  EXPECT_TRUE(gradgradcheck(TensorFunction(from_probs), {logits}));
}

TEST(Categorical, MeasuresEntropyWithPlacesOfNoProbability) {
  const double expected = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75));
  const auto probs = Categorical::from_probs(tensor({0.25, 0, 0.75}, {3}, DType::f64));
  const auto logits = Categorical::from_logits(
      tensor({std::log(0.25), -INFINITY, std::log(0.75)}, {3}, DType::f64));
  EXPECT_NEAR(probs.entropy().item(), expected, 1e-15);
  EXPECT_NEAR(logits.entropy().item(), expected, 1e-15);
  EXPECT_EQ(probs.mode().item(), 2);
}

TEST(Categorical, RefusesWhatIsNoDistribution) {
  const auto probs = [](const std::vector<double>& p, const Shape& shape) {
    return message_of<Error>([&] { Categorical::from_probs(tensor(p, shape, DType::f64)); });
  };
  EXPECT_EQ(probs({0.5, 0.5, 0.5, 0.4}, {2, 2}),
            "Categorical: row 1 of f64[2, 2] sums to 0.9, must sum to 1");
  EXPECT_EQ(probs({0.5, NAN, 0.5}, {3}), "Categorical: f64[3] holds a NaN");
  EXPECT_EQ(probs({1.5, -0.5}, {2}), "Categorical: f64[2] holds -0.5, which is negative");
  EXPECT_EQ(probs({}, {3, 0}), "Categorical: f64[3, 0] has zero places to choose from");
  EXPECT_EQ(probs({1}, {}), "Categorical: f64[] has no axis of places");
  EXPECT_EQ(probs({0, 0, 0.5, 0.5}, {2, 2}),
            "Categorical: row 0 of f64[2, 2] sums to 0, must sum to 1");
  // Rounding may take a millionth of doubles, a thousandth of floats, either way.
  for (const DType dtype : {DType::f64, DType::f32}) {
    const double room = dtype == DType::f64 ? 1e-6 : 1e-3;
    for (const double sign : {1.0, -1.0}) {
      const auto off_by = [&](double part) {
        return tensor({0.25, 0.75 + sign * part * room}, {2}, dtype);
      };
      EXPECT_NO_THROW(Categorical::from_probs(off_by(0.9)));
      EXPECT_THROW(Categorical::from_probs(off_by(1.1)), ValueError);
    }
  }
  const auto logits = [](const std::vector<double>& x) {
    return message_of<Error>([&] { Categorical::from_logits(tensor(x, {1, 2})); });
  };
  EXPECT_EQ(logits({0, NAN}), "Categorical: row 0 of f32[1, 2] holds a NaN or +infinity");
  EXPECT_EQ(logits({0, INFINITY}), "Categorical: row 0 of f32[1, 2] holds a NaN or +infinity");
  EXPECT_EQ(logits({-INFINITY, -INFINITY}),
            "Categorical: row 0 of f32[1, 2] holds -infinity alone: there is no place to choose");
  EXPECT_THROW(Categorical::from_probs(tensor({1}, {1}, DType::i64)), DTypeError);
  EXPECT_THROW(Categorical::from_logits(Tensor()), GradError);

  const auto from = Categorical::from_logits(zeros({2, 3}));
  EXPECT_ERROR(Error, "Categorical::sample: -1 draws", from.sample(-1));
  EXPECT_ERROR(Error, "Categorical::log_prob: values are i64[3]; one draw has the shape [2]",
               from.log_prob(zeros({3}, DType::i64)));
  EXPECT_THROW(from.log_prob(full({2}, 3, DType::i64)), IndexError);
  EXPECT_THROW(from.log_prob(zeros({2})), DTypeError);
}

TEST(Categorical, DrawsNothingFromNoRows) {
  EXPECT_EQ(Categorical::from_logits(zeros({0, 3})).sample(2).shape(), (Shape{2, 0}));
}

TEST(Bernoulli, PassesAChiSquaredTest) {
  Generator generator(22);
  const std::vector<double> p = {0, 0.003, 0.5, 0.87, 1};
  const auto from = Bernoulli::from_probs(tensor(p, {5}, DType::f64));
  const Tensor ones_of = sum(from.sample(kDraws, &generator), {0});
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double n = kDraws, count = ones_of.array().data<double>()[i];
    if (p[i] == 0 || p[i] == 1) {
      EXPECT_EQ(count, n * p[i]);
    } else {
      EXPECT_LT(std::pow(count - n * p[i], 2) / (n * p[i] * (1 - p[i])), chi_squared_bound(1));
    }
  }
}

TEST(Bernoulli, HasTheRightLogProbabilitiesAndGradients) {
  const Tensor logits = randn({3, 5}, DType::f64);
  const Tensor values = Bernoulli::from_logits(logits).sample(2);
  const auto both = [&](const std::vector<Tensor>& x) {
    const auto from = Bernoulli::from_logits(x[0]), same = Bernoulli::from_probs(sigmoid(x[0]));
    return std::vector<Tensor>{from.log_prob(values), from.entropy(), same.log_prob(values),
                               same.entropy()};
  };
  const auto got = both({logits});
  const Tensor p = sigmoid(logits);
  const Tensor expected = log(values * p + (1 - values) * (1 - p));
  EXPECT_LT(amax(abs(got[0] - expected)).item(), 1e-13);
  EXPECT_LT(amax(abs(got[2] - expected)).item(), 1e-13);
  EXPECT_LT(amax(abs(got[1] + p * log(p) + (1 - p) * log(1 - p))).item(), 1e-13);
  EXPECT_LT(amax(abs(got[1] - got[3])).item(), 1e-13);
  EXPECT_TRUE(gradcheck(TensorFunction(both), {logits}));
  EXPECT_TRUE(gradgradcheck(TensorFunction(both), {logits}));
  EXPECT_EQ(Bernoulli::from_logits(tensor({-1, 0, 2}, {3})).mode().array().to_vector<float>(),
            (std::vector<float>{0, 1, 1}));
}

TEST(Bernoulli, RefusesBadInput) {
  EXPECT_ERROR(Error, "Bernoulli: probabilities f32[2] are not all in [0, 1]",
               Bernoulli::from_probs(tensor({0.5, 1.5}, {2})));
  EXPECT_ERROR(Error, "Bernoulli: probabilities f32[1] are not all in [0, 1]",
               Bernoulli::from_probs(tensor({NAN}, {1})));
  EXPECT_ERROR(Error, "Bernoulli: logits f32[1] are not all finite",
               Bernoulli::from_logits(tensor({NAN}, {1})));
  EXPECT_ERROR(Error, "Bernoulli::log_prob: values f32[2] are not all 0 or 1",
               Bernoulli::from_logits(zeros({2})).log_prob(full({2}, 0.5)));
}

TEST(Normal, HasTheMomentsAndTheDistributionFunction) {
  Generator generator(23);
  const Normal from(tensor({1.5}, {1}, DType::f64), 0.3);
  auto x = from.sample(kDraws, &generator).array().to_vector<double>();
  double mean = 0, square = 0, fourth = 0;
  for (double& v : x) {
    v = (v - 1.5) / 0.3;
    mean += v / kDraws;
    square += v * v / kDraws;
    fourth += v * v * v * v / kDraws;
  }
  EXPECT_LT(std::fabs(mean), kZ / 1e3);
  EXPECT_LT(std::fabs(square - 1), kZ * std::sqrt(2.0) / 1e3);
  EXPECT_LT(std::fabs(fourth - 3), kZ * std::sqrt(96.0) / 1e3);
  std::sort(x.begin(), x.end());
  double distance = 0;  // Kolmogorov and Smirnov's
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = 0.5 * std::erfc(-x[i] / std::numbers::sqrt2);
    distance = std::max({distance, std::fabs(f - static_cast<double>(i) / kDraws),
                         std::fabs(f - static_cast<double>(i + 1) / kDraws)});
  }
  EXPECT_LT(distance * 1e3, std::sqrt(-0.5 * std::log(1e-6 / 2)));
}

TEST(Normal, HasTheRightLogProbabilitiesAndGradients) {
  const Tensor mean = randn({3, 2}, DType::f64);
  const Tensor deviation = rand({3, 2}, DType::f64) + 0.5;
  const Tensor values = Normal(mean, deviation).sample(5);
  const Normal from(mean, deviation);
  const Tensor density = exp(-0.5 * square((values - mean) / deviation)) /
                         (deviation * std::sqrt(2 * std::numbers::pi));
  EXPECT_LT(amax(abs(from.log_prob(values) - log(density))).item(), 1e-12);
  const auto both = [&](const std::vector<Tensor>& x) {
    const Normal at(x[0], x[1]);
    Generator generator(2);
    return std::vector<Tensor>{at.log_prob(values), at.entropy(), at.rsample(4, &generator)};
  };
  EXPECT_TRUE(gradcheck(TensorFunction(both), {mean, deviation}));
  EXPECT_TRUE(gradgradcheck(TensorFunction(both), {mean, deviation}));
  Tensor leaf = clone(mean).set_requires_grad();
  EXPECT_FALSE(Normal(leaf, 1.0).sample().requires_grad());
  EXPECT_TRUE(Normal(leaf, 1.0).rsample().requires_grad());
}

TEST(Normal, RefusesBadInput) {
  const Tensor mean = zeros({2});
  EXPECT_ERROR(Error, "Normal: deviations f32[2] are not all finite and positive",
               Normal(mean, 0.0));
  EXPECT_ERROR(Error, "Normal: deviations f32[2] are not all finite and positive",
               Normal(mean, full({2}, NAN)));
  EXPECT_ERROR(Error, "Normal: means f32[2] are not all finite", Normal(full({2}, NAN), 1.0));
  EXPECT_ERROR(Error, "Normal: mean is f32[2], deviation is f32[3]: one shape is needed",
               Normal(mean, ones({3})));
  EXPECT_THROW(Normal(mean, ones({2}, DType::f64)), DTypeError);
  EXPECT_THROW(Normal(Tensor(), 1.0), GradError);
}

TEST(Categorical, TakesTheValuesOfOneDrawOrOfSeveral) {
  const auto from = Categorical::from_logits(zeros({2, 3}));
  EXPECT_EQ(from.log_prob(zeros({2}, DType::i64)).shape(), Shape{2});
  EXPECT_EQ(from.log_prob(zeros({5, 2}, DType::i64)).shape(), (Shape{5, 2}));
  EXPECT_ERROR(Error, "Categorical::log_prob: values are i64[2, 3]; one draw has the shape [2]",
               from.log_prob(zeros({2, 3}, DType::i64)));
  EXPECT_ERROR(Error, "Normal::log_prob: values are f32[3, 3]; one draw has the shape [2]",
               Normal(zeros({2}), 1.0).log_prob(zeros({3, 3})));
  const auto none = Categorical::from_logits(zeros({0, 3}));
  EXPECT_EQ(none.log_prob(zeros({0}, DType::i64)).shape(), Shape{0});
  EXPECT_EQ(none.log_prob(zeros({2, 0}, DType::i64)).shape(), (Shape{2, 0}));
}

TEST(Categorical, APlaceOfNoProbabilityGivesTheEntropyNoSlope) {
  const Tensor p = tensor({0.25, 0, 0.75}, {3}, DType::f64).set_requires_grad();
  const Tensor g = grad({Categorical::from_probs(p).entropy()}, {p})[0];
  const Tensor wanted = tensor({-std::log(0.25) - 1, 0, -std::log(0.75) - 1}, {3}, DType::f64);
  EXPECT_LT(amax(abs(g - wanted)).item(), 1e-15) << to_string(g);
}

TEST(Bernoulli, KnowsItsModeAndEntropyOfProbabilitiesAtTheEnds) {
  const Tensor p = tensor({0, 0.25, 0.5, 1}, {4}, DType::f64).set_requires_grad();
  const auto from = Bernoulli::from_probs(p);
  EXPECT_EQ(from.mode().array().to_vector<double>(), (std::vector<double>{0, 0, 1, 1}));
  const double quarter = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  const Tensor h = from.entropy();
  const Tensor wanted = tensor({0, quarter, std::log(2), 0}, {4}, DType::f64);
  EXPECT_LT(amax(abs(h - wanted)).item(), 1e-15) << to_string(h);
  const Tensor g = grad({sum(h)}, {p})[0];  // of what cannot be there is no slope
  const Tensor slopes = tensor({1, std::log(3), 0, -1}, {4}, DType::f64);
  EXPECT_LT(amax(abs(g - slopes)).item(), 1e-15) << to_string(g);
}

TEST(Normal, HasTheRightEntropy) {
  const Tensor deviation = tensor({0.3, 1, 7}, {3}, DType::f64);
  const Tensor h = Normal(zeros({3}, DType::f64), deviation).entropy();
  const Tensor wanted = 0.5 * log(2 * std::numbers::pi * std::numbers::e * square(deviation));
  EXPECT_LT(amax(abs(h - wanted)).item(), 1e-15) << to_string(h);
}

}  // namespace
}  // namespace heed
