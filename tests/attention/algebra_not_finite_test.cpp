// What is not a number and not masked, in every combination: seen by those who may, and in decoders
// by those who go on from them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "algebra.h"
#include "numbers.h"

namespace heed::attention {
namespace {

std::vector<bool> places(const Tensor& x) { return x.array().to_vector<bool>(); }

class AlgebraNotFinite : public testing::TestWithParam<std::string> {
 protected:
  const std::string score = GetParam();
};

// bool [B, Q] by hand: queries that may attend to what is marked, and in decoders those that go on
// from such a one.
std::vector<bool> spoiled(const Tensor& may, const std::vector<bool>& own,
                          bool uses_previous_weights, bool state) {
  const std::vector<bool> sees_any = places(any(may, {-1}));
  std::vector<bool> out;
  for (std::size_t b = 0; b < kB; ++b) {
    bool before = false;
    for (std::size_t i = b * kQ; i < (b + 1) * kQ; ++i) {
      const bool now = sees_any[i] && (own[i] || ((uses_previous_weights || state) && before));
      out.push_back(now);
      before = state ? before || now : now;
    }
  }
  return out;
}

// What is not masked is not dropped either, by nobody who may see it; the others do not notice.
TEST_P(AlgebraNotFinite, NotANumberIsSeenByThoseWhoMay) {
  constexpr Index kAt = 3;  // of the first row's keys, or query 1 of them
  each_beside(
      score, {"none", "shaw", "soft_cap", "sinks"},
      [&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
        const Combination all(score, normaliser, mask, bias);
        const Tensor may = allowed(all.mask, kQ, kK);
        const std::vector<bool> see_key = places(select(may, -1, kAt));
        for (const bool by_key : {false, true}) {
          if (by_key && score == "location_based") continue;  // which looks at no key
          const auto dirty = [](const Tensor& x, Index row) {
            Array array = x.array().clone();
            array.mutable_data<double>()[row * kD] = std::numeric_limits<double>::quiet_NaN();
            return Tensor(array);
          };
          const Tensor query = by_key ? all.query : dirty(all.query, 1);
          const Tensor keys = by_key ? dirty(all.keys, kAt) : all.keys;
          std::vector<bool> own(kB * kQ, false);
          for (std::size_t i = 0; i < kQ; ++i) own[i] = by_key ? see_key[i] : i == 1;
          const bool state = normaliser == "monotonic" || normaliser == "mocha";
          const std::vector<bool> wanted = spoiled(may, own, score == "location_aware", state);
          const auto look = [&](const Tensor& context, const Tensor& clean, std::size_t first,
                                const std::string& how) {
            const std::vector<double> got = numbers(context), before = numbers(clean);
            for (std::size_t i = 0; i < got.size(); ++i) {
              if (wanted[first + i / kD]) {
                EXPECT_TRUE(std::isnan(got[i])) << name << how;
              } else {
                EXPECT_NEAR(got[i], before[i], 1e-12) << name << how;
              }
            }
          };
          for (const bool need_weights : {false, true}) {
            look(attend(*all.score, query, keys, all.values, all.options(need_weights)).context,
                 all(need_weights).context, 0, by_key ? ", a key" : ", a query");
          }
          if (bias != "none" || (mask != "none" && mask != "lengths" && mask != "key_padding"))
            continue;
          const auto in_steps = [&](const Tensor& q, const Tensor& k) {
            const Memory memory = all.memory(k);
            Past past;
            std::vector<Tensor> contexts;
            for (Index i = 0; i < kQ; ++i) {
              contexts.push_back(memory.step(select(q, 1, i), past, all.step_terms(false)).context);
            }
            return stack(contexts, 1);
          };
          look(in_steps(query, keys), all(false).context, 0, ", in steps");
        }
      });
}

// A decoder that begins again has forgotten what it saw.
TEST_P(AlgebraNotFinite, ARestartForgetsWhatWasNotANumber) {
  const Tensor bad = full({kB, kD}, std::numeric_limits<double>::quiet_NaN(), DType::f64);
  for (const std::string& normaliser : kNormalisers) {
    const Combination all(score, normaliser, "lengths", "none");
    const Memory memory = all.memory(all.keys);
    Past past;
    const auto step = [&](const Tensor& query) {
      return memory.step(query, past, all.step_terms(true)).context;
    };
    const Tensor first = select(all.query, 1, 0);
    const Tensor wanted = step(first);
    EXPECT_TRUE(std::isnan(amax(step(bad)).item())) << normaliser;
    EXPECT_EQ(std::isnan(amax(step(first)).item()), goes_on(score, normaliser));
    past = {};
    EXPECT_EQ(numbers(step(first)), numbers(wanted)) << normaliser;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AlgebraNotFinite, testing::ValuesIn(kScores),
                         [](const testing::TestParamInfo<std::string>& kind) {
                           return kind.param;
                         });

}  // namespace
}  // namespace heed::attention
