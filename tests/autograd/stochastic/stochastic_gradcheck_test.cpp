// The check itself: it rejects what is false, accepts what is true, and says what it could see.
#include "../../../autograd/stochastic/stochastic_gradcheck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../../support/throws.h"
#include "problems.h"

namespace heed {
namespace {

// Normal estimates of `mean` with deviation 1, a thousand a call.
std::function<Tensor()> around(const Tensor& mean, Generator& generator) {
  return [mean, &generator] {
    return mean + Tensor(generator.normal(mean.shape().with(0, 1000), 0, 1, DType::f64));
  };
}

TEST(StochasticGradcheck, AcceptsATrueGradientWhateverTheSeed) {
  const Tensor truth = tensor({1, -2, 0.5, 0, 3}, {5}, DType::f64);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Generator generator(seed);
    const auto report =
        stochastic_gradcheck(around(truth, generator), truth,
                             {.resolution = 0, .first_look = 1000, .max_samples = 8000});
    EXPECT_TRUE(report) << seed << ": " << report.text();
    EXPECT_EQ(report.samples, 8000);
    EXPECT_NEAR(report.variance, 5, 0.4);
    EXPECT_NEAR(report.standard_error[0], 1 / std::sqrt(8000.0), 1e-3);
  }
}

TEST(StochasticGradcheck, RejectsAsOftenAsItsFamilyWiseErrorAllows) {
  // At a family-wise error of one half, looks and coordinates included.
  const Tensor truth = tensor({1, -2, 0.5}, {3}, DType::f64);
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Generator generator(seed);
    rejected += !stochastic_gradcheck(
        around(truth, generator), truth,
        {.family_error = 0.5, .resolution = 0, .first_look = 1000, .max_samples = 4000});
  }
  EXPECT_LT(rejected, 100 + 3 * 7);
  EXPECT_GT(rejected, 30);  // and it does reject: Bonferroni's bound is not far off
}

TEST(StochasticGradcheck, SeesABiasOfTheSizeThatItStates) {
  const Tensor truth = tensor({3, 0, 0, 4}, {4}, DType::f64);
  Generator generator(7);
  const StochasticGradcheckOptions options = {
      .resolution = 0, .first_look = 1000, .max_samples = 16000};
  const auto report = stochastic_gradcheck(around(truth, generator), truth, options);
  ASSERT_TRUE(report) << report.text();
  EXPECT_DOUBLE_EQ(report.norm, 5);
  // The direction in which it is hardest to see: all coordinates alike.
  const double size = report.detectable * 5 / 2;
  const Tensor biased = truth + size * tensor({1, -1, 1, 1}, {4}, DType::f64);
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Generator other(seed);
    seen += !stochastic_gradcheck(around(biased, other), truth, options);
  }
  EXPECT_GE(seen, 48);
}

TEST(StochasticGradcheck, StopsWhenItHasSeenEnough) {
  const Tensor truth = tensor({30, 40}, {2}, DType::f64);
  Generator generator(8);
  const auto report = stochastic_gradcheck(around(truth, generator), truth,
                                           {.first_look = 1000, .max_samples = 1 << 20});
  EXPECT_TRUE(report) << report.text();
  EXPECT_LE(report.detectable, 0.01);
  EXPECT_LT(report.samples, 1 << 17);
}

class PlantedBias : public testing::TestWithParam<std::string> {};

TEST_P(PlantedBias, OfOnePercentIsRejected) {
  const std::set<std::string> long_runs = {"Reinforce", "Rebar", "Relax"};
  if (long_runs.contains(GetParam()) && !stochastic::full())
    GTEST_SKIP() << "millions of samples: set HEED_FULL";
  const stochastic::Problem problem(1, 3);
  const Tensor truth = problem.gradient();
  StochasticGradcheckOptions options = stochastic::proof();
  options.resolution = 0.009;
  options.max_samples = 1 << 26;  // it stops when it has seen enough
  stochastic::Candidate tried = stochastic::candidate(GetParam(), problem);
  if (tried.see) tried.see(zeros({options.batch, 1, 3}, DType::f64));
  const auto check = [&](const Tensor& reference) {
    return stochastic_gradcheck(*tried.estimator, problem.row_cost(), problem.theta, options,
                                reference);
  };
  const auto right = check(truth);
  EXPECT_TRUE(right) << right.text();
  EXPECT_LE(right.detectable, 0.01);
  for (const Tensor& direction : {tensor({1, -1, 1}, {1, 3}, DType::f64), truth}) {
    const Tensor bias = direction * (0.01 * norm(truth) / norm(direction));
    const auto wrong = check(truth + bias);
    EXPECT_FALSE(wrong) << wrong.text();
  }
}

INSTANTIATE_TEST_SUITE_P(In, PlantedBias,
                         testing::Values("LeaveOneOut", "Relax", "Reinforce", "MovingAverage",
                                         "LearnedBaseline", "SelfCritical", "SoftBaseline",
                                         "Rebar"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(StochasticGradcheck, SaysWhatItFound) {
  const Tensor truth = tensor({1, 2}, {2}, DType::f64);
  const auto report = stochastic_gradcheck(
      [] {
        return tensor({1, 2.5, 1.2, 2.5, 0.8, 2.5}, {3, 2}, DType::f64);
      },
      truth, {.first_look = 3, .max_samples = 3});
  EXPECT_FALSE(report);
  EXPECT_EQ(report.worst, 1);
  EXPECT_NEAR(report.bias[1], 0.5, 1e-12);
  EXPECT_EQ(report.standard_error[1], 0);
  EXPECT_NE(report.text().find("rejected: 3 samples, largest |z| "), std::string::npos)
      << report.text();
  const auto nothing = stochastic_gradcheck(
      [] {
        return zeros({3, 1}, DType::f64);
      },
      zeros({1}, DType::f64), {.first_look = 3, .max_samples = 3});
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.problem, "the reference is zero: there is no gradient to compare a bias with");
}

TEST(StochasticGradcheck, RefusesBadInput) {
  const Tensor truth = ones({2}, DType::f64);
  EXPECT_TRUE(
      throws<Error>("stochastic_gradcheck: estimates are f64[3, 4], must be [n, ..] of [2]", [&] {
        stochastic_gradcheck([] { return zeros({3, 4}, DType::f64); }, truth);
      }));
  EXPECT_TRUE(throws<Error>("stochastic_gradcheck: an estimate is f32[3, 2], must be f64", [&] {
    stochastic_gradcheck([] { return zeros({3, 2}); }, truth);
  }));
  EXPECT_TRUE(throws<Error>("stochastic_gradcheck: the reference is f32[2], must be f64",
                            [&] { stochastic_gradcheck([] { return Tensor(); }, ones({2})); }));
  EXPECT_ERROR(Error, "stochastic_gradcheck: draw is empty",
               stochastic_gradcheck(std::function<Tensor()>(), truth));
  EXPECT_ERROR(ShapeError, "stochastic_gradcheck: no estimates came",
               stochastic_gradcheck(
                   [] {
                     return zeros({0, 2}, DType::f64);
                   },
                   truth));
  EXPECT_ERROR(GradError, "stochastic_gradcheck: the reference is undefined",
               stochastic_gradcheck([&] { return truth; }, Tensor()));
  Reinforce estimator;
  EXPECT_ERROR(ValueError, "stochastic_gradcheck: cost is empty",
               stochastic_gradcheck(estimator, RowCost(), truth));
}

TEST(StochasticGradcheck, RefusesOptionsThatMakeNoSense) {
  const Tensor truth = ones({2}, DType::f64);
  const std::vector<StochasticGradcheckOptions> bad = {
      {.family_error = 0}, {.family_error = 1},  {.power = 0},
      {.power = 1},        {.resolution = -0.1}, {.resolution = NAN},
      {.first_look = 1},   {.batch = 0},         {.first_look = 20, .max_samples = 19}};
  for (const StochasticGradcheckOptions& options : bad) {
    EXPECT_ERROR(
        ValueError,
        "stochastic_gradcheck: family_error and power lie in (0, 1), 1 < first_look <= max_samples "
        "and a batch is positive",
        stochastic_gradcheck([&] { return truth; }, truth, options));
  }
}

TEST(StochasticGradcheck, SaysAllThatItSaw) {
  const Tensor truth = tensor({3, 4}, {2}, DType::f64);
  const StochasticGradcheckOptions two = {.resolution = 0, .first_look = 2, .max_samples = 2};
  const auto at = [&](const std::vector<double>& rows) {
    return stochastic_gradcheck([&] { return tensor(rows, {2, 2}, DType::f64); }, truth, two);
  };
  const auto fine = at({2, 4, 4, 4});  // a deviation of sqrt(2), and a mean that is right
  EXPECT_TRUE(fine);
  EXPECT_EQ(
      fine.text(),
      "accepted: 2 samples, largest |z| 0.00 at coordinate 0 (critical 5.03): mean 3, "
      "reference 3, standard error 1; variance 2; a bias of 1.5 of the norm 5 would have been "
      "seen\n");
  const auto off = at({3, 6, 3, 6});  // the second, always
  EXPECT_FALSE(off);
  EXPECT_EQ(off.worst, 1);
  EXPECT_EQ(off.bias, (std::vector<double>{0, 2}));
  EXPECT_EQ(off.text().substr(0, 21), "rejected: 2 samples, ");
  EXPECT_NE(off.text().find("at coordinate 1 (critical 5.03): mean 6, reference 4, "),
            std::string::npos);
  EXPECT_EQ(stochastic_gradcheck(
                [] {
                  return zeros({2, 0}, DType::f64);
                },
                zeros({0}, DType::f64), two)
                .text(),
            "nothing to check: the gradient has no coordinates\n");
}

// Wherever it stands: what comes after it does not hide it.
TEST(StochasticGradcheck, RejectsNaN) {
  const Tensor truth = tensor({1, -2, 0.5}, {3}, DType::f64);
  for (std::size_t at = 0; at < 3; ++at) {
    Generator generator(11);
    std::vector<double> offsets(3, 0);
    offsets[at] = NAN;
    const auto estimates = around(truth + tensor(offsets, {3}, DType::f64), generator);
    const auto report =
        stochastic_gradcheck(estimates, truth, {.first_look = 1000, .max_samples = 2000});
    EXPECT_FALSE(report) << at;
    EXPECT_EQ(report.worst, static_cast<Index>(at));
  }
}

// Estimates that are right in the mean, one below the truth and one above.
StochasticGradcheckReport beside(const Tensor& truth, const StochasticGradcheckOptions& options) {
  return stochastic_gradcheck([&] { return stack({truth - 1, truth + 1}, 0); }, truth, options);
}

TEST(StochasticGradcheck, SharesItsErrorAmongAllLooksAtAllCoordinates) {
  for (const Index width : {1, 3}) {
    // At 4; at 4 and 8; at 4, 8, 16 and 20 samples.
    for (const auto& [most, looks] : std::vector<std::pair<Index, int>>{{4, 1}, {8, 2}, {20, 4}}) {
      const auto report =
          beside(full({width}, 3, DType::f64),
                 {.family_error = 1e-3, .resolution = 0, .first_look = 4, .max_samples = most});
      EXPECT_TRUE(report) << report.text();
      EXPECT_EQ(report.samples, most);
      const double error = std::erfc(report.critical / std::sqrt(2.0));  // P(|N| > critical)
      EXPECT_NEAR(error * looks * static_cast<double>(width), 1e-3, 1e-9) << most;
    }
  }
}

TEST(StochasticGradcheck, LooksAtSampleSizesThatDouble) {
  // Of deviation 1 and norm 1: seen is (5.2 + 2.3) / sqrt(n), 0.54 of 200 and 0.38 of 400 samples.
  const auto report =
      beside(ones({1}, DType::f64), {.resolution = 0.4, .first_look = 100, .max_samples = 3200});
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.samples, 400);
  EXPECT_NEAR(report.detectable, 0.38, 0.005);
}

TEST(StochasticGradcheck, OfWhatDoesNotVaryLooksOnceAndPassesRounding) {
  const StochasticGradcheckOptions options = {.resolution = 0, .first_look = 4, .max_samples = 400};
  const auto always = [&](double truth, double found) {
    return stochastic_gradcheck(
        [&] {
          return full({4, 1}, found, DType::f64);
        },
        full({1}, truth, DType::f64), options);
  };
  for (const double number : {1e-9, 1.0, 1e8}) {
    const auto report = always(number, number);
    EXPECT_TRUE(report) << report.text();
    EXPECT_EQ(report.samples, 4);
  }
  EXPECT_TRUE(always(1e8, std::nextafter(1e8, 2e8)));
  EXPECT_TRUE(always(1e-9, 1e-9 + 1e-16));  // of numbers about 1
  EXPECT_FALSE(always(1, 1 + 1e-9));
}

TEST(StochasticGradcheck, ChecksAnEstimatorByOneRowACall) {
  const stochastic::Problem problem(1, 3);
  Enumeration exact;
  EXPECT_TRUE(stochastic_gradcheck(exact, problem.row_cost(), problem.theta,
                                   {.first_look = 2, .max_samples = 2, .batch = 1}));
  const RowCost never = [](Choices&, const Tensor&) -> Tensor {
    ADD_FAILURE() << "nothing is to be computed yet";
    return {};
  };
  EXPECT_THROW(stochastic_gradcheck(exact, never, problem.theta, {.batch = 0}), ValueError);
  EXPECT_ERROR(DTypeError, "stochastic_gradcheck: theta is f32[2], must be f64",
               stochastic_gradcheck(exact, never, ones({2})));
}

TEST(StochasticGradcheck, SaysItsProblemLast) {
  const auto report = beside(zeros({1}, DType::f64), {.first_look = 4, .max_samples = 4});
  const std::string end =
      " of the norm 0 would have been seen; the reference is zero: there is no gradient to compare "
      "a bias with\n";
  EXPECT_TRUE(report.text().ends_with(end)) << report.text();
}

}  // namespace
}  // namespace heed
