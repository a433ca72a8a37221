#include "../../../../attention/mechanisms/transformer/forgetting_heads.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/biases/alibi.h"
#include "../../../../attention/maps/maps.h"
#include "../../../../attention/normalisers/by_count.h"
#include "../../../../attention/normalisers/sigmoid.h"
#include "../../../../attention/positions/relative.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/compare.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/cumulative.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/triangle.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"
#include "../step_by_step.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kE = 5, kH = 3, kD = 2;

Numbers part(const Numbers& x, Index first, Index count) {
  return {x.begin() + first, x.begin() + first + count};
}

// The paper's sum of gates between each pair; contexts, then weights.
Numbers plain_forgetting(const Leaves& p) {
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto tokens = plain::rows_of(p["x"], b, kT);
    std::vector<Numbers> joined(kT);
    for (Index h = 0; h < kH; ++h) {
      const auto projected = [&](const char* name, std::size_t t) {
        return part(plain::affine(p[std::string(name) + ".weight"], tokens[t]), h * kD, kD);
      };
      for (std::size_t i = 0; i < kT; ++i) {
        Numbers e(kT, 0.0);
        for (std::size_t j = 0; j <= i; ++j) {
          e[j] = plain::dot(projected("q_proj", i), projected("k_proj", j)) /
                 std::sqrt(static_cast<double>(kD));
          for (std::size_t l = j + 1; l <= i; ++l) {
            const Numbers gate =
                plain::affine(p["forget_gate.weight"], tokens[l], p["forget_gate.bias"]);
            e[j] += std::log(plain::sigmoid(at(gate, h)));
          }
        }
        const Numbers a = plain::softmax(e, static_cast<Index>(i) + 1);
        weights.insert(weights.end(), a.begin(), a.end());
        Numbers head(kD, 0.0);
        for (std::size_t j = 0; j < kT; ++j) {
          const Numbers v = projected("v_proj", j);
          for (Index d = 0; d < kD; ++d) at(head, d) += a[j] * at(v, d);
        }
        joined[i] = plain::join({joined[i], head});
      }
    }
    for (const Numbers& heads : joined) {
      contexts = plain::join({contexts, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return plain::join({contexts, weights});
}

class ForgettingHeadsOf : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(45), true);  // before what is drawn below
  ForgettingHeadsOf() {
    x = randn({kB, kT, kE}, DType::f64);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  }
  ForgettingHeads made{
      ForgettingHeadsOptions{.width = kE, .heads = kH, .head_width = kD, .dtype = DType::f64}};
  Tensor x;
};

TEST_F(ForgettingHeadsOf, AreThePapersSums) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const Attended seen = made(x, {.need_weights = true});
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, plain_forgetting);
  plain::expect_gradients(leaves, ours, 2);
}

// Those that are not softmax see what all keys of a query have in common, and so do log_sums.
TEST_F(ForgettingHeadsOf, GiveOtherNormalisersTheWholeSum) {
  const NoGrad off;
  const Tensor c = cumsum(made.log_gates(x), -1);
  const auto heads = [&](const nn::Linear& project) {
    return transpose(reshape(project(x), {kB, kT, kH, kD}), 1, 2);
  };
  const Tensor products = matmul(heads(made.q_proj), transpose(heads(made.k_proj), 2, 3));
  const Tensor scores =
      products / std::sqrt(static_cast<double>(kD)) + unsqueeze(c, -1) - unsqueeze(c, 2);
  const Tensor seen = tril(ones({kT, kT})) > 0;
  const SoftmaxPlusOne plus_one;
  const Sigmoid sigmoid;
  const ByCount by_count;
  for (const Normaliser* by : std::vector<const Normaliser*>{&plus_one, &sigmoid, &by_count}) {
    const Tensor want = (*by)(scores, seen);
    const auto look = [&](const Tensor& tokens, KeyValueCache* cache) {
      return made(tokens, {.normaliser = by, .need_weights = true}, cache).weights;
    };
    EXPECT_LT(difference(look(x, nullptr), want), 1e-12);
    KeyValueCache cache;
    look(narrow(x, 1, 0, 4), &cache);
    EXPECT_LT(difference(look(narrow(x, 1, 4, 3), &cache), narrow(want, 2, 4, 3)), 1e-12);
  }
  const Tensor sums = logsumexp(where(seen, scores, -INFINITY), {-1});
  EXPECT_LT(difference(made(x, {.need_log_sums = true}).log_sums, sums), 1e-12);
  const Tensor beside = made(x, {.normaliser = &plus_one, .need_log_sums = true}).log_sums;
  EXPECT_LT(difference(beside, log(exp(sums) + 1)), 1e-12);
}

TEST_F(ForgettingHeadsOf, GoOnStepByStep) { expect_steps_are_the_whole(made, x, 1e-11); }

// A gate that is shut hides all that lies behind it.
TEST_F(ForgettingHeadsOf, ForgetWhatLiesBehindAShutGate) {
  nn::zeros_(made.forget_gate.weight);
  nn::constant_(made.forget_gate.bias, -1e4);
  const Tensor weights = made(x, {.need_weights = true}).weights;
  for (Index t = 0; t < kT; ++t) {
    EXPECT_EQ(amin(narrow(narrow(weights, 2, t, 1), 3, t, 1)).item(), 1);
  }
}

// Padding on the left, and a hole.
const std::vector<bool> kReal = {false, false, true, true, true,  true, true,
                                 true,  true,  true, true, false, true, true};
Tensor real() { return Tensor(Array::from(kReal, {kB, kT})); }

TEST_F(ForgettingHeadsOf, SeeNothingOfMaskedKeys) {
  const Tensor block = tril(expand(unsqueeze(unsqueeze(real(), 1), 1), {kB, 1, kT, kT}));
  for (const Mask& mask : {Mask::key_padding(real()), Mask(block)}) {
    plain::expect_hidden([&](double value) {
      const Tensor spoilt = where(unsqueeze(real(), -1), x, value).detach();
      return plain::bits_of(leaves_of(made, {{"x", spoilt}}), [&] {
        const Tensor context = made(spoilt, {.mask = mask}).context;
        return std::vector<Tensor>{where(unsqueeze(real(), -1), context, 0)};
      });
    });
  }
}

// A mask of pairs, and one of keys alone, of any rank that fits the scores.
TEST_F(ForgettingHeadsOf, TakeMasksOfEveryRank) {
  const NoGrad off;
  const Tensor own = narrow(real(), 0, 1, 1);  // [1, T], without place 4
  const Tensor wanted = made(x, {.mask = Mask(reshape(own, {1, 1, 1, kT}))}).context;
  const Tensor pairs = tril(expand(own, {kT, kT}));
  for (const Tensor& same : {reshape(own, {kT}), own, pairs, unsqueeze(pairs, 0)}) {
    EXPECT_LT(difference(made(x, {.mask = Mask(same)}).context, wanted), 1e-12) << describe(same);
  }
}

// f of a masked token counts as 1: as if it were not there.
TEST_F(ForgettingHeadsOf, PassOverMaskedKeys) {
  const NoGrad off;
  const Tensor row = narrow(x, 0, 1, 1), own = narrow(real(), 0, 1, 1);  // without place 4
  const auto without = [](const Tensor& t) {
    return concat({narrow(t, 1, 0, 4), narrow(t, 1, 5, kT - 5)}, 1);
  };
  const Tensor wanted = made(without(row)).context;
  EXPECT_LT(difference(without(made(row, {.mask = Mask::key_padding(own)}).context), wanted),
            1e-12);
  const Tensor spoilt = where(unsqueeze(own, -1), row, NAN);
  KeyValueCache cache;
  std::vector<Tensor> steps;
  for (Index t = 0; t < kT; ++t) {
    const Mask seen = Mask::key_padding(narrow(own, 1, 0, t + 1));
    steps.push_back(made(narrow(spoilt, 1, t, 1), {.mask = seen}, &cache).context);
  }
  EXPECT_LT(difference(without(concat(steps, 1)), wanted), 1e-12);
}

// What is not a number is so for those that see it alone.
TEST_F(ForgettingHeadsOf, GiveNoNumberWhereOneSeesNone) {
  const NoGrad off;
  const Tensor spoilt = where(unsqueeze(arange(kT) == 2, -1), NAN, x);
  const Tensor whole = made(spoilt).context;
  EXPECT_TRUE(same_bits(narrow(whole, 1, 0, 2), narrow(made(x).context, 1, 0, 2)));
  const Tensor near = made(spoilt, {.mask = Mask::window(1, 0)}).context;
  for (Index t = 2; t < kT; ++t) {
    EXPECT_TRUE(std::isnan(amax(select(whole, 1, t)).item()));
    EXPECT_EQ(std::isnan(amax(select(near, 1, t)).item()), t <= 3) << t;
  }
}

// What lies behind a gate that is all but shut leaves the scores before it their digits.
TEST(ForgettingHeads, AShutGateLeavesOthersTheirDigits) {
  manual_seed(47);
  const NoGrad off;
  ForgettingHeads made({.width = 2});
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  const Tensor x = randn({1, 5, 2});
  const Tensor shut = where(unsqueeze(arange(5) == 2, -1), tensor({-1, 1}, {2}), abs(x));
  made.forget_gate.weight.copy_from(tensor({1e30, 0}, {1, 2}));
  const Tensor behind = narrow(made(shut).context, 1, 2, 3);
  nn::constant_(made.forget_gate.weight, 0);
  nn::constant_(made.forget_gate.bias, 1e30);
  EXPECT_LT(difference(behind, made(narrow(shut, 1, 2, 3)).context), 1e-3);
}

// Nor do as many as there are, at once or in steps.
TEST(ForgettingHeads, ManyShutGatesLeaveOthersTheirDigits) {
  constexpr Index kShut = 997, kOpen = 11;
  manual_seed(48);
  ForgettingHeads made({.width = 2});
  ForgettingHeads wide({.width = 2, .dtype = DType::f64});
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  {
    const NoGrad off;
    made.forget_gate.weight.copy_from(tensor({1e30, 0}, {1, 2}));
    made.forget_gate.bias.copy_from(zeros({1}));  // behind the shut ones f is 1 / 2
    for (std::size_t i = 0; i < made.parameters().size(); ++i) {
      wide.parameters()[i].copy_from(to(made.parameters()[i], DType::f64));
    }
  }
  const Tensor open = to(unsqueeze(arange(kShut + kOpen), 1) >= kShut, DType::f32);
  const Tensor x = unsqueeze(concat({open - 1, randn({kShut + kOpen, 1})}, 1), 0);
  const auto behind = [&](const Tensor& y) { return narrow(y, 1, kShut, kOpen); };
  const auto of = [&](const ForgettingHeads& heads, const Tensor& tokens) {
    const Attended seen = heads(tokens, {.need_log_sums = true});
    sum(square(behind(seen.context))).backward();
    return std::vector<Tensor>{behind(seen.context).detach(),
                               narrow(seen.log_sums, 2, kShut, kOpen).detach(),
                               heads.k_proj.weight.grad(), heads.v_proj.weight.grad()};
  };
  const auto found = of(made, x), wanted = of(wide, to(x, DType::f64));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].dtype(), DType::f32);
    EXPECT_LT(relative_difference(found[i], wanted[i]), 1e-5) << i;
  }
  const NoGrad off;
  KeyValueCache cache;
  made(narrow(x, 1, 0, kShut), {}, &cache);
  EXPECT_LT(difference(to(made(behind(x), {}, &cache).context, DType::f64), wanted[0]), 1e-5);
}

// Far behind shut gates terms of f32 are taken, too, and what is found is in f32.
TEST(ForgettingHeads, TakeAllTermsBehindShutGates) {
  constexpr Index kSteps = 23;
  manual_seed(49);
  const NoGrad off;
  ForgettingHeads made({.width = 2});
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  nn::constant_(made.forget_gate.bias, -1e30);
  const Tensor x = randn({1, kSteps, 2}), table = randn({1, kSteps});
  const Tensor wanted = made(x).context;  // each by itself
  const Alibi alibi(1);
  const ScoreMap map = maps::by_distance(table, abs(unsqueeze(arange(kSteps), 1) - arange(kSteps)));
  const Attended mapped = made(x, {.map = map, .need_weights = true});
  EXPECT_EQ(mapped.weights.dtype(), DType::f32);
  EXPECT_LT(difference(mapped.context, wanted), 1e-5);
  EXPECT_LT(difference(made(x, {.position_bias = &alibi}).context, wanted), 1e-5);
  const Tensor bias = randn({kSteps, kSteps});
  EXPECT_LT(difference(made(x, {.bias = bias}).context, wanted), 1e-5);
  EXPECT_LT(difference(made(x, {.offset_bias = randn({2 * kSteps - 1})}).context, wanted), 1e-5);
  const RelativePositions relative({.key_width = 2});
  EXPECT_EQ(made(x, {.relative = &relative}).context.dtype(), DType::f32);
  const Attended counted = made(x, {.need_statistics = true});
  EXPECT_EQ(counted.statistics.received().dtype(), DType::f32);
  EXPECT_LT(difference(counted.statistics.received(), ones({1, 1, kSteps})), 1e-5);
}

TEST_F(ForgettingHeadsOf, MakeNoBlock) { EXPECT_NO_THROW(made(x, {.tiles_only = true})); }

TEST_F(ForgettingHeadsOf, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "forgetting_heads: x must be [.., n, 5], not f64[2, 7, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(DTypeError, "forgetting_heads: x must be f64, not f32[2, 7, 5]",
               made(zeros({kB, kT, kE})));
  EXPECT_ERROR(ValueError, "forgetting_heads: a sink would not be forgotten: give none",
               made(x, {.sinks = zeros({kH}, DType::f64)}));
  const NoGrad off;
  KeyValueCache rolling({.sinks = 1, .window = 2});
  EXPECT_ERROR(ValueError, "forgetting_heads: a rolling cache forgets by itself: give a plain one",
               made(x, {}, &rolling));
  EXPECT_ERROR(ValueError, "forgetting_heads: heads 3 do not divide width 7",
               ForgettingHeads({.width = 7, .heads = 3}));
  EXPECT_ERROR(ValueError,
               "forgetting_heads: width 0 and heads 1 must be positive, head_width 0 not negative",
               ForgettingHeads({}));
  EXPECT_ERROR(ValueError, "forgetting_heads: dropout 3 is not in [0, 1]",
               ForgettingHeads({.width = 7, .dropout = 3}));
}

}  // namespace
}  // namespace heed::attention
