// Sums of weights whose numbers would leave their range: keys so long that all of a step's vanish,
// masked ones between them, and sums without digits.
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/mechanisms/linear/attention_free.h"
#include "../../../../attention/mechanisms/linear/cos_former.h"
#include "../../../../attention/mechanisms/linear/performer.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/generator.h"
#include "../plain.h"
#include "../step_by_step.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kE = 6;

Performer performer(DType dtype, PerformerFeatures kind) {
  manual_seed(61);
  return Performer({.width = kE, .heads = 2, .chunk = 3, .dtype = dtype},
                   {.features = 5, .kind = kind});
}

// Steps that are longer than others by these factors: at first all vanish, one is short.
Tensor steps(DType dtype, double length) {
  manual_seed(62);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Tensor factors = tensor({1, 0.8, 1.2, 0.01, 0.5, 1, 0.9}, {kT, 1}, DType::f64);
  return to(x * factors * length, dtype).detach().set_requires_grad();
}

class LongKeys : public testing::TestWithParam<PerformerFeatures> {};
INSTANTIATE_TEST_SUITE_P(Performer, LongKeys,
                         testing::Values(PerformerFeatures::positive,
                                         PerformerFeatures::hyperbolic),
                         [](const auto& made) {
                           return made.param == PerformerFeatures::positive ? "positive"
                                                                            : "hyperbolic";
                         });

// One whose square leaves f32 vanishes alone: the steps behind it are numbers.
TEST_P(LongKeys, OfInfiniteSquaresVanish) {
  const Performer made = performer(DType::f32, GetParam());
  const NoGrad off;
  const Tensor x = steps(DType::f32, 1);
  const Tensor huge = tensor({1e21, 1, 1, 1, 1, 1, 1}, {kT, 1}, DType::f32);
  const Tensor out = made(x * huge, {.mask = Mask::causal()}).context;
  const Tensor behind = narrow(out, 1, 1, kT - 1);
  EXPECT_TRUE(all(isfinite(behind)).item<bool>());
}

// f64 holds them as they are.
TEST_P(LongKeys, InF32AreCloseToF64) {
  const Performer small = performer(DType::f32, GetParam());
  Performer made = performer(DType::f64, GetParam());
  const auto from = small.named_parameters(), into = made.named_parameters();
  {
    const NoGrad off;
    for (std::size_t i = 0; i < from.size(); ++i) {
      Tensor each = into[i].second;
      each.copy_from(to(from[i].second, DType::f64));
    }
    made.rows.copy_from(to(small.rows, DType::f64));
  }
  for (const Mask& mask : {Mask::causal(), Mask()}) {
    Tensor x = steps(DType::f32, 25), same = steps(DType::f64, 25);
    const Tensor y = small(x, {.mask = mask}).context, want = made(same, {.mask = mask}).context;
    EXPECT_LT(relative_difference(y, want), 1e-3);
    sum(y * y).backward();
    sum(want * want).backward();
    EXPECT_LT(relative_difference(x.grad(), same.grad()), 1e-2);
  }
}

// What counts is the dtype of the weights as they are.
TEST_P(LongKeys, InAModuleThatWasMadeF32) {
  const Performer whole = performer(DType::f64, GetParam());
  Performer narrowed = performer(DType::f64, GetParam());
  narrowed.to(DType::f32);
  const NoGrad off;
  const Tensor x = steps(DType::f64, 25);
  const Tensor y = narrowed(to(x, DType::f32), {.mask = Mask::causal()}).context;
  EXPECT_LT(relative_difference(y, whole(x, {.mask = Mask::causal()}).context), 1e-3);
}

// Of exponents below those that f64 holds.
TEST_P(LongKeys, HaveTheirOwnValuesAndGradients) {
  const Performer made = performer(DType::f64, GetParam());
  const Tensor x = steps(DType::f64, 90);
  const Tensor y = made(x, {.mask = Mask::causal()}).context;
  const Tensor own = made.out_proj(made.v_proj(x));
  EXPECT_LT(difference(narrow(y, 1, 0, 1), narrow(own, 1, 0, 1)), 1e-10);
  expect_steps_are_the_whole(made, x.detach(), 1e-9);
  const Attended seen = made(x, {.mask = Mask::causal(), .need_weights = true});
  EXPECT_LT(difference(sum(seen.weights, {-1}), ones({kB, 2, kT}, DType::f64)), 1e-12);
  for (const Mask& mask : {Mask::causal(), Mask()}) {
    const auto first =
        gradcheck([&] { return std::vector<Tensor>{made(x, {.mask = mask}).context}; },
                  leaves_of(made, {{"x", x}}));
    EXPECT_TRUE(first) << first.text();
  }
}

const std::vector<bool> kReal = {true,  false, true, true,  false, true, true,
                                 false, true,  true, false, true,  true, true};
Tensor real() { return Tensor(Array::from(kReal, {kB, kT})); }

// The real steps of one row.
Tensor kept(const Tensor& x, Index b) {
  std::vector<Tensor> out;
  for (Index t = 0; t < kT; ++t) {
    if (kReal[static_cast<std::size_t>(b * kT + t)]) {
      out.push_back(narrow(narrow(x, 0, b, 1), 1, t, 1));
    }
  }
  return concat(out, 1);
}

// Masked steps are as if they were not there, whatever stands in them.
void expect_passes_over(const SelfAttention& made, const Tensor& x) {
  for (const Mask& order : {Mask::causal(), Mask()}) {
    const Terms terms{.mask = order & Mask::key_padding(real())};
    const Tensor y = made(x, terms).context;
    for (Index b = 0; b < kB; ++b) {
      EXPECT_LT(difference(kept(y, b), made(kept(x, b), {.mask = order}).context), 1e-10) << b;
    }
    plain::expect_hidden([&](double value) {
      const Tensor spoilt = where(unsqueeze(real(), -1), x, value).detach();
      return plain::bits_of(leaves_of(made, {{"x", spoilt}}), [&] {
        return std::vector<Tensor>{where(unsqueeze(real(), -1), made(spoilt, terms).context, 0)};
      });
    });
  }
}

TEST_P(LongKeys, PassOverMaskedOnes) {
  expect_passes_over(performer(DType::f64, GetParam()), steps(DType::f64, 90));
}

TEST(AttentionFree, PassesOverMaskedKeys) {
  manual_seed(63);
  expect_passes_over(AttentionFree(kE, 3, DType::f64), steps(DType::f64, 3));
}

// Features of 1e-160, the products of which have no digits left.
TEST(CosFormer, SumsWithoutDigitsHaveGradients) {
  manual_seed(64);
  const CosFormer made({.width = kE, .heads = 2, .dtype = DType::f64}, kT);
  Tensor x = steps(DType::f64, 1e-160);
  const Tensor y = made(x, {.mask = Mask::causal()}).context;
  sum(y).backward();
  EXPECT_TRUE(all(isfinite(y)).array().item() != 0);
  EXPECT_TRUE(all(isfinite(x.grad())).array().item() != 0);
}

}  // namespace
}  // namespace heed::attention
