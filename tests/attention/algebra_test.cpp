// Gradients of every combination of score, normaliser, mask and bias. What is counted here is what
// scripts/scoreboard prints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include "algebra.h"

namespace heed::attention {
namespace {

// HEED_SEED: of the inputs; any will do.
std::uint64_t seed() {
  const char* const given = std::getenv("HEED_SEED");
  return given != nullptr ? std::stoull(given) : 13;
}

using Kind = std::tuple<std::string, std::string>;  // score, normaliser

class Algebra : public testing::TestWithParam<Kind> {
 protected:
  // Calls look(combination, name) for each mask and bias.
  template <class Look>
  void each(Look look) {
    const auto& [score, normaliser] = GetParam();
    for (const std::string& mask : kMasks) {
      for (const std::string& bias : kBiases) {
        if (!is_legal(score, normaliser, bias)) continue;
        const std::string name = score + " x " + normaliser + " x " + mask + " x " + bias;
        look(Combination(score, normaliser, mask, bias, kQ, kK, seed()), name);
      }
    }
  }
};

using Outputs = std::function<std::vector<Tensor>()>;

// Of a few elements of each input; of all where sparse weights left these few without a gradient.
template <class Check>
GradcheckReport of_few(Check check) {
  const bool all = std::getenv("HEED_FULL") != nullptr;
  GradcheckReport report = check(GradcheckOptions{.step = 1e-4, .max_elements = all ? 0 : 4});
  if (report || report.faulty > 0) return report;
  return check(GradcheckOptions{.step = 1e-4});
}

TEST_P(Algebra, HasGradientsOfFirstOrder) {
  int combinations = 0, right = 0;
  each([&](const Combination& all, const std::string& name) {
    ++combinations;
    const Outputs both = [&] {
      const Attended out = all(true);
      return std::vector<Tensor>{out.context, out.weights};
    };
    const Outputs context = [&] { return std::vector<Tensor>{all(false).context}; };
    const auto with_weights =
        of_few([&](const GradcheckOptions& how) { return gradcheck(both, all.leaves(), how); });
    const auto alone =
        of_few([&](const GradcheckOptions& how) { return gradcheck(context, all.leaves(), how); });
    EXPECT_TRUE(with_weights) << name << '\n' << with_weights.text();
    EXPECT_TRUE(alone) << name << '\n' << alone.text();
    right += with_weights && alone;
  });
  RecordProperty("attention_combinations", combinations);
  RecordProperty("attention_first_order", right);
}

TEST_P(Algebra, HasGradientsOfSecondOrder) {
  int right = 0;
  each([&](const Combination& all, const std::string& name) {
    const Outputs context = [&] { return std::vector<Tensor>{all(false).context}; };
    const auto report = of_few(
        [&](const GradcheckOptions& how) { return gradgradcheck(context, all.leaves(), how); });
    EXPECT_TRUE(report) << name << '\n' << report.text();
    right += static_cast<bool>(report);
  });
  RecordProperty("attention_second_order", right);
}

INSTANTIATE_TEST_SUITE_P(Every, Algebra,
                         testing::Combine(testing::ValuesIn(kScores),
                                          testing::ValuesIn(kNormalisers)),
                         [](const testing::TestParamInfo<Kind>& kind) {
                           return std::get<0>(kind.param) + "_with_" + std::get<1>(kind.param);
                         });

}  // namespace
}  // namespace heed::attention
