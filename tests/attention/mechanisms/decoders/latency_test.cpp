#include "../../../../attention/mechanisms/decoders/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kH = 3, kQ = 5, kK = 7;
const std::vector<Index> kSources = {7, 4}, kTargets = {5, 2};

// The recurrence as the paper has it.
double lagging(const Numbers& g, double source) {
  const double gamma = static_cast<double>(g.size()) / source;
  double total = 0, at = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    at = i == 0 ? g[i] : std::max(g[i], at + 1 / gamma);
    total += at - static_cast<double>(i) / gamma;
  }
  return g.empty() ? 0 : total / static_cast<double>(g.size());
}

TEST(Latency, OfExamplesByHand) {
  // Read 3, then one at a time; ideal are 1.5 a word: behind by 3, 2.5 -> 3, 2 -> 3, ..
  const Tensor delays = tensor({3, 4, 5, 6}, {1, 4}, DType::f64);
  EXPECT_NEAR(differentiable_average_lagging(delays, {6}).item(), 3, 1e-14);
  // Of equal lengths wait-k lags k behind.
  EXPECT_NEAR(differentiable_average_lagging(tensor({2, 3, 4, 4}, {1, 4}, DType::f64), {4}).item(),
              2, 1e-14);
  // All is read first.
  EXPECT_NEAR(differentiable_average_lagging(tensor({4, 4, 4, 4}, {1, 4}, DType::f64), {4}).item(),
              4, 1e-14);
  EXPECT_EQ(numbers(expected_delays(tensor({1, 0, 0, 0.5, 0, 0.5}, {2, 3}, DType::f64))),
            (Numbers{1, 2}));
}

TEST(Latency, IsItsFormulaWithGradients) {
  manual_seed(5);
  // Of alignments, that rows sum up to 1.
  const Tensor scores = randn({kB, kH, kQ, kK}, DType::f64).set_requires_grad();
  const std::vector<NamedLeaf> leaves = {{"scores", scores}};
  const auto ours = [&] {
    const Tensor g = expected_delays(softmax(scores * 2.0, -1));
    const MonotonicLatency out = monotonic_latency(g, kSources, kTargets);
    return std::vector<Tensor>{out.lagging, out.variance,
                               differentiable_average_lagging(select(g, 1, 0), kSources, kTargets)};
  };
  plain::expect_same(
      leaves, ours,
      [&](const Leaves& w) {
        Numbers lag, variance, first;
        for (Index b = 0; b < kB; ++b) {
          const auto n = static_cast<std::size_t>(kTargets[static_cast<std::size_t>(b)]);
          Numbers slowest, one;
          double apart = 0;
          for (Index i = 0; i < static_cast<Index>(n); ++i) {
            Numbers g;
            for (Index h = 0; h < kH; ++h) {
              Numbers row = w["scores"].row({b, h, i});
              for (double& x : row) x *= 2;
              const Numbers alpha = plain::softmax(row, kK);
              double delay = 0;
              for (Index j = 0; j < kK; ++j) delay += static_cast<double>(j + 1) * at(alpha, j);
              g.push_back(delay);
            }
            const Numbers share = plain::softmax(g, kH);
            slowest.push_back(plain::dot(share, g));
            one.push_back(g[0]);
            const double middle = (g[0] + g[1] + g[2]) / 3;
            for (const double x : g) apart += (x - middle) * (x - middle) / 3;
          }
          const auto source = static_cast<double>(kSources[static_cast<std::size_t>(b)]);
          lag.push_back(lagging(slowest, source));
          first.push_back(lagging(one, source));
          variance.push_back(apart / static_cast<double>(n));
        }
        return plain::join({lag, variance, first});
      },
      1e-4);
  plain::expect_gradients(leaves, ours);
}

TEST(Latency, OfNoTargetIsZero) {
  const Tensor g = ones({2, kH, 3}, DType::f64) * 2;
  const MonotonicLatency out = monotonic_latency(g, {4, 4}, {3, 0});
  EXPECT_EQ(numbers(out.lagging)[1], 0);
  EXPECT_EQ(numbers(out.variance), (Numbers{0, 0}));
  EXPECT_GT(numbers(out.lagging)[0], 0);
}

TEST(Latency, SaysWhatIsWrong) {
  const Tensor g = zeros({2, 3}, DType::f64);
  EXPECT_ERROR(ShapeError,
               "differentiable_average_lagging: delays must be [B, Q], with as many lengths, not "
               "f64[2, 3] with 1 sources and 0 targets",
               differentiable_average_lagging(g, {4}));
  EXPECT_ERROR(ShapeError,
               "monotonic_latency: delays must be [B, H, Q], with as many lengths, not f64[2, 3] "
               "with 2 sources and 0 targets",
               monotonic_latency(g, {4, 4}));
  EXPECT_ERROR(ValueError, "differentiable_average_lagging: source 0 of row 1 must be positive",
               differentiable_average_lagging(g, {4, 0}));
  EXPECT_ERROR(ShapeError, "differentiable_average_lagging: target 4 of row 0 is not in [0, 3]",
               differentiable_average_lagging(g, {4, 4}, {4, 1}));
  EXPECT_ERROR(ShapeError, "expected_delays: alignment must be [.., Q, K], not f64[3]",
               expected_delays(zeros({3}, DType::f64)));
}

}  // namespace
}  // namespace heed::attention
