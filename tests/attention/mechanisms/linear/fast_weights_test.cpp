// Three forms of one algebra: equal in values and in gradients of both orders, and to plain loops.
#include "../../../../attention/mechanisms/linear/fast_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "fast_weights_cases.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kH = 3, kT = 13, kK = 5, kV = 7;
constexpr LinearForm kForms[] = {LinearForm::quadratic, LinearForm::recurrent, LinearForm::chunked};

// The lines at the head of fast_weights.h, a number after the other: y, then the last state.
Numbers plain(const DrawnFastWeights& x, Index T) {
  const auto of = [](const Tensor& t) { return t.defined() ? numbers(t) : Numbers(); };
  const FastWeights& s = x.steps;
  const Numbers q = of(s.q), k = of(s.k), v = of(s.v), decay = of(s.log_decay), beta = of(s.beta),
                bonus = of(s.bonus), first = of(x.state);
  const Index decays = s.log_decay.defined() ? s.log_decay.size(-1) : 0;
  Numbers y, last;
  for (Index n = 0; n < kB * kH; ++n) {
    std::vector<Numbers> S(kK, Numbers(kV));
    for (Index i = 0; i < kK * kV; ++i)
      at(S[static_cast<std::size_t>(i / kV)], i % kV) = at(first, n * kK * kV + i);
    const auto entry = [&](Index i, Index j) -> double& {
      return at(S[static_cast<std::size_t>(i)], j);
    };
    for (Index t = 0; t < T; ++t) {
      const Index row = n * T + t;
      const auto key = [&](Index i) { return at(k, row * kK + i); };
      const auto read = [&](Index j, bool with_bonus) {
        double sum = 0;
        for (Index i = 0; i < kK; ++i) {
          const double own =
              with_bonus ? at(bonus, n % kH * kK + i) * key(i) * at(v, row * kV + j) : 0;
          sum += at(q, row * kK + i) * (entry(i, j) + own);
        }
        return sum;
      };
      if (s.bonus.defined()) {
        for (Index j = 0; j < kV; ++j) y.push_back(read(j, true));
      }
      for (Index i = 0; i < kK && decays > 0; ++i) {
        const double kept = std::exp(at(decay, decays == 1 ? row : row * kK + i));
        for (Index j = 0; j < kV; ++j) entry(i, j) *= kept;
      }
      for (Index j = 0; j < kV; ++j) {
        double written = at(v, row * kV + j);
        if (s.beta.defined()) {
          for (Index i = 0; i < kK; ++i) written -= key(i) * entry(i, j);
          written *= at(beta, row);
        }
        for (Index i = 0; i < kK; ++i) entry(i, j) += key(i) * written;
      }
      if (!s.bonus.defined()) {
        for (Index j = 0; j < kV; ++j) y.push_back(read(j, false));
      }
    }
    for (const Numbers& line : S) last.insert(last.end(), line.begin(), line.end());
  }
  y.insert(y.end(), last.begin(), last.end());
  return y;
}

Numbers joined(const FastWeightsOutput& out) {
  Numbers all = numbers(out.y);
  const Numbers state = numbers(out.state);
  all.insert(all.end(), state.begin(), state.end());
  return all;
}

class Cases : public testing::TestWithParam<FastWeightsCase> {
 protected:
  Cases() { manual_seed(17); }
};
INSTANTIATE_TEST_SUITE_P(FastWeights, Cases, testing::ValuesIn(kFastWeightsCases),
                         [](const auto& made) { return made.param.name; });

TEST_P(Cases, AreTheDefinitionInEachForm) {
  const DrawnFastWeights x(GetParam(), kB, kH, kT, kK, kV);
  const Numbers want = plain(x, kT);
  for (const LinearForm form : kForms) {
    EXPECT_THAT(joined(fast_weights(x.steps, form, x.state)), near(want, 1e-10));
  }
  for (const Index chunk : {1, 2, 3, 4, 8, 13, 16}) {
    EXPECT_THAT(joined(fast_weights(x.steps, LinearForm::chunked, x.state, chunk)),
                near(want, 1e-10))
        << chunk;
  }
}

// Of the gradients' weighed sum once more the gradients: all numbers of both orders.
Numbers both_orders(const DrawnFastWeights& x, LinearForm form) {
  Generator draws(5);
  const auto weighed = [&](const Tensor& t) {
    return sum(t * randn(t.shape(), DType::f64, draws));
  };
  std::vector<Tensor> leaves;
  for (const NamedLeaf& leaf : x.leaves()) leaves.push_back(leaf.leaf);
  const FastWeightsOutput out = fast_weights(x.steps, form, x.state, 4);
  const Tensor loss = weighed(out.y) + weighed(out.state * out.state);
  const auto first = grad({loss}, leaves, {}, {.create_graph = true});
  Tensor again = tensor(0.0, DType::f64);
  Numbers all;
  for (const Tensor& g : first) {
    again = again + weighed(g * g);
    const Numbers own = numbers(g);
    all.insert(all.end(), own.begin(), own.end());
  }
  for (const Tensor& g : grad({again}, leaves)) {
    const Numbers own = numbers(g);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

TEST_P(Cases, HaveTheSameGradientsOfBothOrdersInEachForm) {
  const DrawnFastWeights x(GetParam(), kB, 1, kT, 3, 2);
  const Numbers want = both_orders(x, LinearForm::recurrent);
  double largest = 1;
  for (const double number : want) largest = std::max(largest, std::fabs(number));
  for (const LinearForm form : {LinearForm::quadratic, LinearForm::chunked}) {
    EXPECT_THAT(both_orders(x, form), near(want, 1e-10 * largest));
  }
}

TEST_P(Cases, PassTheGradientCheck) {
  const DrawnFastWeights x(GetParam(), 1, 2, 5, 3, 2);
  const auto call = [&] {
    const FastWeightsOutput out = fast_weights(x.steps, LinearForm::chunked, x.state, 2);
    return std::vector<Tensor>{out.y, out.state};
  };
  const auto first = gradcheck(call, x.leaves(), {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(call, x.leaves(), {.step = 1e-4, .max_elements = 6});
  EXPECT_TRUE(second) << second.text();
}

FastWeights part(const FastWeights& x, Index begin, Index count) {
  const auto own = [&](const Tensor& t) { return t.defined() ? narrow(t, -2, begin, count) : t; };
  return {own(x.q), own(x.k), own(x.v), own(x.log_decay), own(x.beta), x.bonus};
}

TEST_P(Cases, GoOnFromAState) {
  const DrawnFastWeights x(GetParam(), kB, kH, kT, kK, kV);
  const FastWeightsOutput whole = fast_weights(x.steps, LinearForm::quadratic, x.state);
  FastWeightsOutput now = fast_weights(part(x.steps, 0, 6), LinearForm::chunked, x.state, 4);
  std::vector<Tensor> y = {now.y};
  for (Index t = 6; t < kT; ++t) {
    now = fast_weights(part(x.steps, t, 1), LinearForm::recurrent, now.state);
    y.push_back(now.y);
  }
  EXPECT_THAT(numbers(concat(y, -2)), near(whole.y, 1e-10));
  EXPECT_THAT(numbers(now.state), near(whole.state, 1e-10));
  const FastWeightsOutput none = fast_weights(part(x.steps, 0, 0), LinearForm::chunked, x.state);
  EXPECT_EQ(none.y.shape(), (Shape{kB, kH, 0, kV}));
  EXPECT_EQ(numbers(none.state), numbers(x.state));
}

TEST_P(Cases, TheMatrixIsWhatValuesAreWeighedBy) {
  const DrawnFastWeights x(GetParam(), kB, kH, kT, kK, kV);
  const Tensor W = fast_weights_matrix(x.steps);
  EXPECT_EQ(W.shape(), (Shape{kB, kH, kT, kT}));
  EXPECT_THAT(numbers(matmul(W, x.steps.v)), near(fast_weights(x.steps).y, 1e-10));
}

// A step sees nothing that comes after it, to the last bit.
TEST_P(Cases, AreCausal) {
  const DrawnFastWeights x(GetParam(), kB, kH, kT, kK, kV);
  for (const LinearForm form : kForms) {
    const Tensor before = fast_weights(x.steps, form, x.state, 4).y;
    for (Index seen = 1; seen < kT; seen += 3) {
      FastWeights changed = x.steps;
      const auto other = [&](Tensor& t) {
        if (!t.defined()) return;
        const Tensor rest = narrow(t, -2, seen, kT - seen) * 3.7;
        t = concat({narrow(t, -2, 0, seen), rest}, -2);
      };
      for (Tensor* t : {&changed.q, &changed.k, &changed.v, &changed.log_decay, &changed.beta}) {
        other(*t);
      }
      const Tensor after = fast_weights(changed, form, x.state, 4).y;
      EXPECT_EQ(numbers(narrow(after, -2, 0, seen)), numbers(narrow(before, -2, 0, seen)));
    }
  }
}

// exp(-40) in each of 64 steps is 0 after a few of them: what divides by it gives NaN.
TEST_P(Cases, StrongDecaysAreNumbersWithGradients) {
  if (GetParam().decay == Decay::none) return;
  DrawnFastWeights x(GetParam(), 1, 1, 97, kK, kV);
  x.steps.log_decay = (x.steps.log_decay * 40).detach().set_requires_grad();
  const auto run = [&](LinearForm form) {
    const FastWeightsOutput out = fast_weights(x.steps, form, x.state);
    sum(out.y * out.y).backward();
    Numbers all = joined(out);
    for (const NamedLeaf& each : x.leaves()) {
      Tensor leaf = each.leaf;
      const Numbers own = numbers(leaf.grad());
      all.insert(all.end(), own.begin(), own.end());
      leaf.zero_grad();
    }
    return all;
  };
  const Numbers want = run(LinearForm::recurrent);
  EXPECT_TRUE(std::all_of(want.begin(), want.end(), [](double n) { return std::isfinite(n); }));
  EXPECT_THAT(run(LinearForm::chunked), near(want, 1e-8));
}

// Values and gradients of what has forgotten all at some steps, and little at others.
TEST_P(Cases, DecaysOfZeroForgetWhatWasBeforeAlone) {
  if (GetParam().decay == Decay::none) return;
  DrawnFastWeights x(GetParam(), 1, 2, 37, kK, kV);
  Generator draws(6);
  const Tensor forgets = draws.uniform(x.steps.log_decay.shape(), 0, 1, DType::f64) < 0.2;
  x.steps.log_decay = where(forgets, -1e30, x.steps.log_decay).detach().set_requires_grad();
  const auto run = [&](LinearForm form) {
    const FastWeightsOutput out = fast_weights(x.steps, form, x.state, 16);
    (sum(out.y * out.y) + sum(out.state * out.state)).backward();
    Numbers all = joined(out);
    for (const NamedLeaf& each : x.leaves()) {
      Tensor leaf = each.leaf;
      const Numbers own = numbers(leaf.grad());
      all.insert(all.end(), own.begin(), own.end());
      leaf.zero_grad();
    }
    return all;
  };
  const Numbers want = run(LinearForm::recurrent);
  EXPECT_THAT(run(LinearForm::chunked), near(want, 1e-8));
  EXPECT_THAT(run(LinearForm::quadratic), near(want, 1e-8));
}

TEST(FastWeights, ADecayOfZeroLeavesLaterOnesTheirDigitsInF32) {
  const Tensor one = ones({3, 1}), v = tensor({1, 10, 100}, {3, 1}, DType::f32);
  for (const double none : {-1e4, -1e9, -1e30}) {
    const FastWeights steps{one, one, v, tensor({0, none, -2}, {3, 1}, DType::f32)};
    for (const LinearForm form : kForms) {
      const Tensor y = to(fast_weights(steps, form).y, DType::f64);
      EXPECT_THAT(numbers(y), near(Numbers{1, 10, 10 * std::exp(-2) + 100}, 1e-4)) << none;
    }
  }
}

TEST(FastWeights, InF32AreCloseToF64) {
  manual_seed(3);
  const DrawnFastWeights x({"", Decay::vector, true, false}, 1, 2, 200, 16, 16);
  const NoGrad off;
  const auto small = [](const Tensor& t) { return to(t, DType::f32); };
  const FastWeights& s = x.steps;
  const FastWeights low{small(s.q), small(s.k), small(s.v), small(s.log_decay), small(s.beta)};
  const Tensor want = fast_weights(s).y;
  const Tensor got = to(fast_weights(low).y, DType::f64);
  EXPECT_LT(amax(abs(got - want)).item(), 1e-4 * amax(abs(want)).item());
}

TEST(FastWeights, RefuseWhatDoesNotFit) {
  const auto x = [](Index T, Index width) { return zeros({2, T, width}); };
  const FastWeights good{x(5, 3), x(5, 3), x(5, 7)};
  EXPECT_ERROR(GradError, "fast_weights: k is undefined", fast_weights({x(5, 3), {}, x(5, 7)}));
  EXPECT_ERROR(ShapeError, "fast_weights: q must be [.., T, K], not f32[3]",
               fast_weights({zeros(3), zeros(3), zeros(3)}));
  EXPECT_ERROR(ShapeError,
               "fast_weights: k must be [.., T, K], not f32[2, 5, 4] beside q f32[2, 5, 3]",
               fast_weights({x(5, 3), x(5, 4), x(5, 7)}));
  EXPECT_ERROR(ShapeError,
               "fast_weights: v must be [.., T, V], not f32[2, 6, 7] beside q f32[2, 5, 3]",
               fast_weights({x(5, 3), x(5, 3), x(6, 7)}));
  FastWeights bad = good;
  bad.log_decay = x(5, 2);
  EXPECT_ERROR_WITH(ShapeError, "log_decay must be [.., T, 1] or [.., T, K], not f32[2, 5, 2]",
                    fast_weights(bad));
  bad = good;
  bad.beta = x(5, 3);
  EXPECT_ERROR_WITH(ShapeError, "beta must be [.., T, 1], not f32[2, 5, 3]", fast_weights(bad));
  bad = good;
  bad.bonus = x(5, 3);
  EXPECT_ERROR_WITH(ShapeError, "bonus must be [.., 1, K], not f32[2, 5, 3]", fast_weights(bad));
  EXPECT_ERROR_WITH(ShapeError, "state must be [.., K, V], not f32[2, 7, 3]",
                    fast_weights(good, LinearForm::chunked, x(7, 3)));
  EXPECT_ERROR(DTypeError, "fast_weights: k is f64[2, 5, 3], q is f32[2, 5, 3]",
               fast_weights({x(5, 3), to(x(5, 3), DType::f64), x(5, 7)}));
  EXPECT_ERROR_WITH(DTypeError, "fast_weights: takes f32 or f64, not i64",
                    fast_weights({to(x(5, 3), DType::i64), x(5, 3), x(5, 7)}));
  EXPECT_ERROR(ValueError, "fast_weights: chunk 0 must be positive",
               fast_weights(good, LinearForm::chunked, Tensor(), 0));
}

}  // namespace
}  // namespace heed::attention
