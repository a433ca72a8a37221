// The variance of each estimator on one problem: two dependent choices of five places. What is
// recorded here is what scripts/scoreboard prints.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "problems.h"

namespace heed::stochastic {
namespace {

TEST(Variance, IsLowerWhereItShouldBe) {
  const Problem problem(2, 5);
  StochasticGradcheckOptions options = proof();
  options.max_samples = 1 << (full() ? 20 : 17);
  options.seed = 2;
  options.first_look = options.max_samples;  // one look: all variances from as many samples
  std::map<std::string, double> variance;
  auto table = nlohmann::ordered_json::array();
  const auto measure = [&](const std::string& id, Estimator& estimator, const RowCost& cost,
                           const Tensor& truth, const std::string& name) {
    const auto report = stochastic_gradcheck(estimator, cost, problem.theta, options, truth);
    EXPECT_EQ(report.ok, estimator.unbiased()) << name << ": " << report.text();
    variance[id] = report.variance;
    table.push_back(
        {{"name", name}, {"unbiased", report.ok}, {"z", report.z}, {"variance", report.variance}});
  };
  Index bound_samples = 0;
  for (const std::string& id : candidate_ids()) {
    Candidate tried = candidate(id, problem);
    if (tried.see) {
      tried.see(broadcast_to(problem.theta, problem.theta.shape().with(0, options.batch)));
    }
    bound_samples = std::max(bound_samples, tried.bound_samples);
    measure(id, *tried.estimator, problem.row_cost(), problem.gradient(tried.bound_samples),
            tried.estimator->name());
  }
  // VIMCO has another aim: beside it, the plain score function with the same aim.
  Reinforce plain;
  const RowCost bound = [&](Choices& choices, const Tensor& rows) {
    std::vector<Tensor> costs;
    for (Index k = 0; k < bound_samples; ++k) costs.push_back(problem.cost(choices, rows));
    return multi_sample_bound(stack(costs, 0));
  };
  measure("PlainBound", plain, bound, problem.gradient(bound_samples),
          "REINFORCE of VIMCO's bound");
  RecordProperty("estimators", table.dump());

  for (const char* id :
       {"MovingAverage", "LearnedBaseline", "SelfCritical", "SoftBaseline", "Rebar", "Relax"}) {
    EXPECT_LT(variance[id], variance["Reinforce"]) << id;
  }
  EXPECT_LT(4 * variance["LeaveOneOut"], variance["Reinforce"]) << "four samples, each better";
  EXPECT_LT(variance["Vimco"], variance["PlainBound"]);
  EXPECT_LE(variance["Relax"], variance["Rebar"]);
  EXPECT_LT(variance["LearnedBaseline"], variance["MovingAverage"] * 1.05);
}

}  // namespace
}  // namespace heed::stochastic
