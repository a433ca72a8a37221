// Options that are shares of one: both ends pass, nothing beyond them does.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

// `text` with a {} for the number that came.
template <class Model, class Options>
void expect_share(const Options& good, double Options::*member, const std::string& text) {
  SCOPED_TRACE(text);
  const auto with = [&](double value) {
    Options out = good;
    out.*member = value;
    return out;
  };
  for (const double value : {0.0, 0.25, 1.0}) EXPECT_NO_THROW(Model{with(value)}) << value;
  for (const auto& [value, said] : std::vector<std::pair<double, std::string>>{
           {-0.5, "-0.5"}, {1.5, "1.5"}, {std::nan(""), "nan"}}) {
    std::string wanted = text;
    wanted.replace(wanted.find("{}"), 2, said);
    EXPECT_ERROR(ValueError, wanted, Model{with(value)});
  }
}

struct FirstValueResidual : ValueResidualHeads {
  explicit FirstValueResidual(const ValueResidualOptions& o) : ValueResidualHeads(o, 0) {}
};

TEST(Shares, OfWeightsThatAreDropped) {
  const std::string rest = ": dropout {} is not in [0, 1]";
  expect_share<GraphAttention>(GraphAttentionOptions{.input = 3, .head_width = 2},
                               &GraphAttentionOptions::dropout, "graph_attention" + rest);
  expect_share<LatentHeads>(LatentHeadsOptions{.width = 4, .latent = 3, .head_width = 2},
                            &LatentHeadsOptions::dropout, "latent_heads" + rest);
  expect_share<TransformerXL>(TransformerXLOptions{.width = 4}, &TransformerXLOptions::dropout,
                              "transformer_xl" + rest);
  expect_share<Synthesizer>(SynthesizerOptions{.width = 4, .max_length = 3},
                            &SynthesizerOptions::dropout, "synthesizer" + rest);
  expect_share<NativeSparseHeads>(NativeSparseOptions{.width = 4}, &NativeSparseOptions::dropout,
                                  "native_sparse_heads" + rest);
  expect_share<ForgettingHeads>(ForgettingHeadsOptions{.width = 4},
                                &ForgettingHeadsOptions::dropout, "forgetting_heads" + rest);
  expect_share<DifferentialHeads>(DifferentialHeadsOptions{.width = 4},
                                  &DifferentialHeadsOptions::dropout, "differential_heads" + rest);
  expect_share<FirstValueResidual>(ValueResidualOptions{.width = 4, .layers = 2},
                                   &ValueResidualOptions::dropout, "value_residual_heads" + rest);
  expect_share<MultiHead>(MultiHeadOptions{.width = 4}, &MultiHeadOptions::dropout,
                          "multi_head" + rest);
}

TEST(Shares, OfOtherThings) {
  expect_share<HardAttention>(HardOptions{}, &HardOptions::mean_probability,
                              "HardAttention: mean_probability {} is not in [0, 1]");
  expect_share<MemoryNetwork>(MemoryNetworkOptions{.vocabulary = 5}, &MemoryNetworkOptions::noise,
                              "MemoryNetwork: a noise of {} is not in [0, 1]");
  Routing routing({.width = 4});
  const Tensor x = randn({2, 5, 4});
  for (const double decay : {0.0, 1.0}) EXPECT_NO_THROW(routing.refit(x, decay));
  EXPECT_ERROR(ValueError, "routing: decay -0.5 is not in [0, 1]", routing.refit(x, -0.5));
  EXPECT_ERROR(ValueError, "routing: decay 1.5 is not in [0, 1]", routing.refit(x, 1.5));
}

TEST(Shares, OfCapacityAndEpsilon) {
  const auto depths = [](double capacity) {
    MixtureOfDepths({.block = {.width = 4, .heads = 1, .hidden = 3}, .capacity = capacity});
  };
  EXPECT_NO_THROW(depths(1));
  EXPECT_ERROR(ValueError, "mixture_of_depths: capacity 0 is not in (0, 1]", depths(0));
  EXPECT_ERROR(ValueError, "mixture_of_depths: capacity 1.5 is not in (0, 1]", depths(1.5));
  const auto ponders = [](double epsilon) {
    AdaptiveComputation({.state = 3,
                         .cell = [](const Tensor&, const Tensor& state) { return state; },
                         .epsilon = epsilon});
  };
  EXPECT_NO_THROW(ponders(0.99));
  EXPECT_ERROR(ValueError, "AdaptiveComputation: epsilon 0 must be between 0 and 1", ponders(0));
  EXPECT_ERROR(ValueError, "AdaptiveComputation: epsilon 1 must be between 0 and 1", ponders(1));
}

TEST(Shares, OfTheCacheOfALanguageModel) {
  const Tensor h = randn({1, 3, 4}), p = softmax(randn({1, 3, 5}), -1);
  const Tensor next = indices({0, 4, 2}, {1, 3});
  const auto call = [&](const NeuralCacheOptions& options) { neural_cache(h, p, next, options); };
  EXPECT_NO_THROW(call({.lambda = 0}));
  EXPECT_NO_THROW(call({.lambda = 1}));
  const std::string rest = ", theta 0.3 finite, window 0 not negative";
  EXPECT_ERROR(ValueError, "neural_cache: lambda -0.5 must be in [0, 1]" + rest,
               call({.lambda = -0.5}));
  EXPECT_ERROR(ValueError, "neural_cache: lambda 1.5 must be in [0, 1]" + rest,
               call({.lambda = 1.5}));
  EXPECT_ERROR(
      ValueError,
      "neural_cache: lambda 0.1 must be in [0, 1], theta inf finite, window 0 not negative",
      call({.theta = std::numeric_limits<double>::infinity()}));
  EXPECT_ERROR(
      ValueError,
      "neural_cache: lambda 0.1 must be in [0, 1], theta 0.3 finite, window -1 not negative",
      call({.window = -1}));
}

}  // namespace
}  // namespace heed::attention
