// The mean of every unbiased estimator is the true gradient, the biased ones' is not: both by the
// same test against enumeration, at a family-wise error of 1e-6.
#include <gtest/gtest.h>

#include "problems.h"

namespace heed::stochastic {
namespace {

using Case = std::tuple<std::string, Index, Index>;  // estimator, steps, places

class Unbiased : public testing::TestWithParam<Case> {};

TEST_P(Unbiased, MeansTheTrueGradientOrIsFoundOut) {
  const auto& [id, steps, places] = GetParam();
  const Problem problem(steps, places);
  Candidate tried = candidate(id, problem);
  const Tensor truth = problem.gradient(tried.bound_samples);
  const StochasticGradcheckOptions options = proof();
  if (tried.see) {
    tried.see(clone(broadcast_to(problem.theta, problem.theta.shape().with(0, options.batch))));
  }
  const auto report =
      stochastic_gradcheck(*tried.estimator, problem.row_cost(), problem.theta, options, truth);
  EXPECT_EQ(static_cast<bool>(report), tried.estimator->unbiased())
      << tried.estimator->name() << ": " << report.text();
  EXPECT_TRUE(report.samples == options.max_samples || !report.ok);
}

INSTANTIATE_TEST_SUITE_P(Of, Unbiased,
                         testing::Combine(testing::ValuesIn(candidate_ids()),
                                          testing::Values(1, 2, 3), testing::Values(3, 6)),
                         [](const testing::TestParamInfo<Case>& kind) {
                           return std::get<0>(kind.param) + "_steps" +
                                  std::to_string(std::get<1>(kind.param)) + "_places" +
                                  std::to_string(std::get<2>(kind.param));
                         });

}  // namespace
}  // namespace heed::stochastic
