// AFT-full and AFT-local: the paper's sums, and the products of matrices beside the definition.
#include "../../../../attention/mechanisms/linear/attention_free_full.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../../../../attention/mechanisms/linear/attention_free.h"
#include "../../../../attention/mechanisms/linear/attention_free_sums.h"
#include "../../../../autograd/autograd.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"
#include "../step_by_step.h"
#include "formula.h"

namespace heed::attention {
namespace {

using namespace formula;  // NOLINT

struct Case {
  const char* name;
  Index window, rank;
};
class AttentionFreePlaces : public testing::TestWithParam<Case> {
 protected:
  AttentionFreeFullOptions options(Index width, Index max_length, Index block) const {
    return {.width = width,
            .max_length = max_length,
            .window = GetParam().window,
            .rank = GetParam().rank,
            .block = block,
            .dtype = kDType};
  }
};
INSTANTIATE_TEST_SUITE_P(Each, AttentionFreePlaces,
                         testing::Values(Case{"full", 0, 0}, Case{"full_factorised", 0, 3},
                                         Case{"local", 2, 0}, Case{"local_factorised", 2, 3},
                                         Case{"of_itself", 1, 0},
                                         Case{"of_itself_factorised", 1, 1}),
                         [](const auto& made) { return made.param.name; });

// w_ts of the parameters.
double place_bias(const Leaves& w, const Case& of, Index t, Index s) {
  if (of.window > 0 && std::abs(t - s) >= of.window) return 0;
  if (of.rank == 0) return w["place_biases"](t, of.window > 0 ? s - t + of.window - 1 : s);
  double out = 0;
  for (Index r = 0; r < of.rank; ++r) out += w["query_factors"](t, r) * w["key_factors"](s, r);
  return out;
}

TEST_P(AttentionFreePlaces, AreThePapersSums) {
  manual_seed(41);
  for (const bool causal : {false, true}) {
    AttentionFreeFull made(options(kE, 7, 2));
    const OfRow paper = [&](const Row& row) {
      Rows out;
      for (Index t = 0; t < kT; ++t) {
        const auto project = [&](const char* name, Index i) {
          return plain::affine(row.w[std::string(name) + ".weight"], row.x[z(i)]);
        };
        const Numbers q = project("q_proj", t);
        Numbers sums(kE), totals(kE), y;
        for (Index s = 0; s < (causal ? std::min(t + 1, row.n) : row.n); ++s) {
          const Numbers k = project("k_proj", s), v = project("v_proj", s);
          for (Index e = 0; e < kE; ++e) {
            const double share = std::exp(at(k, e) + place_bias(row.w, GetParam(), t, s));
            at(sums, e) += share * at(v, e);
            at(totals, e) += share;
          }
        }
        for (Index e = 0; e < kE; ++e) {
          y.push_back(plain::sigmoid(at(q, e)) * at(sums, e) / at(totals, e));
        }
        out.push_back(plain::affine(row.w["out_proj.weight"], y));
      }
      return out;
    };
    expect_formula(made, paper, causal, -1);
  }
}

// The output, gradients of it against random cotangents, and gradients of a sum over those.
std::vector<Tensor> both_orders(const AttentionFreeFull& made, const Tensor& x, const Terms& terms,
                                const Tensor& cotangent) {
  std::vector<Tensor> leaves = made.parameters();
  leaves.push_back(x);
  const Tensor y = made(x, terms).context;
  std::vector<Tensor> out = {y};
  const auto first = grad({sum(y * cotangent)}, leaves, {}, {.create_graph = true});
  Tensor total = tensor(0, kDType);
  for (const Tensor& each : first) total = total + sum(each * each);
  const auto second = grad({total}, leaves);
  out.insert(out.end(), first.begin(), first.end());
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

TEST_P(AttentionFreePlaces, ProductsAreTheDefinition) {
  manual_seed(43);
  constexpr Index kSteps = 23;
  AttentionFreeFull made(options(kE, 29, 4));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  Tensor x = randn({3, kSteps, kE}, kDType);
  x.set_requires_grad();
  const Tensor cotangent = randn({3, kSteps, kE}, kDType);
  const Mask lengths = Mask::lengths({kSteps, 6, 0}, kSteps);
  for (const Mask& mask : {Mask(), Mask::causal(), lengths, lengths & Mask::causal()}) {
    Terms terms{.mask = mask};
    const auto got = both_orders(made, x, terms, cotangent);
    terms.need_weights = true;
    const auto want = both_orders(made, x, terms, cotangent);
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_LT(difference(got[i], want[i]), 1e-9 * (1 + amax(abs(want[i])).item())) << i;
    }
  }
}

TEST_P(AttentionFreePlaces, HaveGradientsOfBothOrders) {
  manual_seed(45);
  AttentionFreeFull made(options(3, 11, 2));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  const Tensor x = randn({2, 7, 3}, kDType);
  plain::expect_gradients(
      plain::leaves_of(made, {{"x", x}}),
      [&] { return std::vector<Tensor>{made(x, {.mask = Mask::causal()}).context}; }, 4);
}

TEST_P(AttentionFreePlaces, GoOnStepByStep) {
  manual_seed(47);
  AttentionFreeFull made(options(kE, 13, 4));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  expect_steps_are_the_whole(made, randn({2, 11, kE}, kDType));
}

// At first there are no positions in it, or next to none.
TEST_P(AttentionFreePlaces, BeginAsAftSimple) {
  manual_seed(49);
  AttentionFreeFull made(options(kE, 13, 4));
  AttentionFree simple(kE, 4, kDType);
  const NoGrad off;
  const auto copy = [](const nn::Linear& from, const nn::Linear& to) {
    to.weight.detach().copy_from(from.weight);
  };
  copy(made.q_proj, simple.q_proj);
  copy(made.k_proj, simple.k_proj);
  copy(made.v_proj, simple.v_proj);
  copy(made.out_proj, simple.out_proj);
  const Tensor x = randn({2, 11, kE}, kDType);
  const double tolerance = GetParam().rank > 0 ? 0.05 : 1e-12;
  for (const Mask& mask : {Mask(), Mask::causal()}) {
    EXPECT_LT(difference(made(x, {.mask = mask}).context, simple(x, {.mask = mask}).context),
              tolerance);
  }
}

// Keys whose exp() is not a number, and biases whose products would be nothing: softmax all the
// same.
TEST(AttentionFreeFull, TakesLargeNumbers) {
  manual_seed(51);
  const NoGrad off;
  for (const Index window : {0, 3}) {
    AttentionFreeFull made(
        {.width = 5, .max_length = 17, .window = window, .block = 4, .dtype = kDType});
    for (const double deviation : {0.5, 400.0}) {
      nn::normal_(made.place_biases, 0, deviation);
      const Tensor x = randn({2, 17, 5}, kDType) * 1500;
      for (const Mask& mask : {Mask(), Mask::causal()}) {
        const Tensor y = made(x, {.mask = mask}).context;
        const Tensor want = made(x, {.mask = mask, .need_weights = true}).context;
        EXPECT_TRUE(std::isfinite(sum(y).item()));
        EXPECT_LT(difference(y, want), 1e-8);  // of thousands
      }
    }
  }
  EXPECT_TRUE(sums_hold(tensor({{-300.0, 300.0}}, DType::f64)));
  EXPECT_FALSE(sums_hold(tensor({{-301.0, 300.0}}, DType::f64)));
  EXPECT_TRUE(sums_hold(tensor({{-30.0, 30.0}}, DType::f32)));
  EXPECT_FALSE(sums_hold(tensor({{-31.0, 30.0}}, DType::f32)));
}

// What is far costs one sum, however long the text.
TEST(AttentionFreeFull, LocalSumsAskForWhatIsNear) {
  manual_seed(53);
  const NoGrad off;
  constexpr Index kSteps = 101, kWindow = 5, kBlock = 8;
  const Tensor k = randn({kSteps, 3}, kDType), v = randn({kSteps, 3}, kDType);
  Index asked = 0;
  local_sums(
      k, v,
      [&](Index, Index queries, Index, Index keys) {
        asked += queries * keys;
        return zeros({queries, keys}, kDType);
      },
      kWindow, kBlock);
  EXPECT_LE(asked, kSteps * (kWindow + kBlock));
}

TEST(AttentionFreeFull, TakesOtherTerms) {
  manual_seed(55);
  const NoGrad off;
  AttentionFreeFull made({.width = kE, .max_length = 9, .dtype = kDType});
  nn::normal_(made.place_biases, 0, 1);
  const Tensor x = randn({2, kT, kE}, kDType);
  const Tensor whole = made(x, {.mask = Mask::lengths(kLengths, kT)}).context;
  const Tensor real = tensor({{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}}, DType::i64) > 0;
  EXPECT_LT(difference(made(x, {.mask = Mask::key_padding(real)}).context, whole), 1e-12);
  // What the terms add is added to w.
  const Tensor bias = randn({kT, kT}, kDType);
  const Tensor with = made(x, {.bias = bias}).context;
  Tensor corner = narrow(narrow(made.place_biases.detach(), 0, 0, kT), 1, 0, kT);
  corner.copy_from(corner + bias);
  EXPECT_LT(difference(with, made(x).context), 1e-12);
  // A window of the mask hides, one of the biases does not.
  const Attended seen = made(x, {.mask = Mask::window(1, 0), .need_weights = true});
  EXPECT_EQ(seen.weights.shape(), (Shape{2, kE, kT, kT}));
  EXPECT_EQ(amax(narrow(narrow(seen.weights, 2, 2, 3), 3, 0, 1)).item(), 0);
}

TEST(AttentionFreeFull, HasABiasForEachStepWithinTheWindow) {
  for (const auto& [window, biases] : {std::pair<Index, Index>{0, 7}, {1, 1}, {2, 3}}) {
    const AttentionFreeFull made({.width = 3, .max_length = 7, .window = window});
    EXPECT_EQ(made.place_biases.shape(), (Shape{7, biases})) << window;
  }
}

TEST(AttentionFreeFull, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError,
               "attention_free_full: width 0, max_length 0 and block 32 must be positive, window 0 "
               "and rank 0 not negative",
               AttentionFreeFull({}));
  EXPECT_ERROR_WITH(ValueError, "window -1 and rank 0 not negative",
                    AttentionFreeFull({.width = 3, .max_length = 4, .window = -1}));
  EXPECT_ERROR_WITH(ValueError, "window 0 and rank -2 not negative",
                    AttentionFreeFull({.width = 3, .max_length = 4, .rank = -2}));
  const AttentionFreeFull made({.width = 3, .max_length = 4});
  EXPECT_ERROR(ShapeError,
               "attention_free_full: 5 steps are more than max_length 4: x is f32[2, 5, 3]",
               made(zeros({2, 5, 3})));
  EXPECT_ERROR(ShapeError, "attention_free_full: x must be [.., n, 3], not f32[2, 4, 5]",
               made(zeros({2, 4, 5})));
  const NoGrad off;
  KeyValueCache cache, rolling({.sinks = 1, .window = 2});
  made(zeros({2, 3, 3}), {.mask = Mask::causal()}, &cache);
  EXPECT_ERROR(ShapeError,
               "attention_free_full: 5 steps are more than max_length 4: x is f32[2, 2, 3]",
               made(zeros({2, 2, 3}), {.mask = Mask::causal()}, &cache));
  EXPECT_ERROR(ValueError, "attention_free_full: a rolling cache has no places: give a plain one",
               made(zeros({2, 2, 3}), {.mask = Mask::causal()}, &rolling));
}

}  // namespace
}  // namespace heed::attention
