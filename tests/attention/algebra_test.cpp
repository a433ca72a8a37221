// Gradients of every combination of score, normaliser, mask and bias. What is counted here is what
// scripts/scoreboard prints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include "algebra.h"

namespace heed::attention {
namespace {

using Kind = std::tuple<std::string, std::string>;  // score, normaliser

class Algebra : public testing::TestWithParam<Kind> {
 protected:
  // Calls look(combination, name) for each mask and bias.
  template <class Look>
  void each(Look look) {
    const auto& [score, normaliser] = GetParam();
    for (const std::string& mask : kMasks) {
      for (const std::string& bias : kBiases) {
        const std::string name = score + " x " + normaliser + " x " + mask + " x " + bias;
        look(Combination(score, normaliser, mask, bias), name);
      }
    }
  }
};

using Outputs = std::function<std::vector<Tensor>()>;

// Elements are drawn, a few of each input; supports of sparse weights leave no room for wide steps.
GradcheckOptions few() {
  const bool all = std::getenv("HEED_FULL") != nullptr;
  return {.step = 3e-6, .max_elements = all ? 0 : 4};
}

TEST_P(Algebra, HasGradientsOfFirstOrder) {
  int combinations = 0, right = 0;
  each([&](const Combination& all, const std::string& name) {
    ++combinations;
    const auto with_weights = gradcheck(Outputs([&] {
                                          const Attended out = all(true);
                                          return std::vector<Tensor>{out.context, out.weights};
                                        }),
                                        all.leaves(), few());
    const auto alone = gradcheck(Outputs([&] { return std::vector<Tensor>{all(false).context}; }),
                                 all.leaves(), few());
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
    const auto report = gradgradcheck(
        Outputs([&] { return std::vector<Tensor>{all(false).context}; }), all.leaves(), few());
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
