// What the gradient table cannot say of the normalisers: limits, masks over NaN, running averages,
// numbers of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/anomaly.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/elementwise/in_place.h"
#include "../../../../autograd/ops/normalise/batch_norm.h"
#include "../../../../autograd/ops/normalise/entmax.h"
#include "../../../../autograd/ops/normalise/group_norm.h"
#include "../../../../autograd/ops/normalise/layer_norm.h"
#include "../../../../autograd/ops/normalise/normalize.h"
#include "../../../../autograd/ops/normalise/rms_norm.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/normalise/sparsemax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"

namespace heed {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Pointwise;
using Numbers = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

Tensor drawn(const Shape& shape, DType dtype = DType::f64) {
  Generator generator(5);
  return Tensor(generator.normal(shape, 0, 1, DType::f64).to(dtype));
}

Tensor leaf(const Numbers& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64).set_requires_grad();
}

// Gradients of out under a random cotangent, fused and recorded, which must agree.
std::vector<Numbers> gradients(const Tensor& out, const std::vector<Tensor>& inputs) {
  const Tensor g = drawn(out.shape());
  const auto recorded = grad({out}, inputs, {g}, {.create_graph = true});
  const auto fused = grad({out}, inputs, {g});
  std::vector<Numbers> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back(numbers(fused[i]));
    EXPECT_THAT(numbers(recorded[i]), Pointwise(testing::DoubleNear(1e-12), all.back()));
  }
  return all;
}

TEST(Entmax, WithAlphaOneIsSoftmax) {
  const Tensor x = drawn({3, 37}).set_requires_grad();
  const Tensor soft = softmax(x, 1);
  EXPECT_THAT(numbers(entmax(x, 1, 1)), Pointwise(testing::DoubleNear(1e-15), numbers(soft)));
  EXPECT_THAT(gradients(entmax(x, 1, 1), {x})[0],
              Pointwise(testing::DoubleNear(1e-14), gradients(soft, {x})[0]));
}

// Near 1 the difference to softmax is of the size of alpha - 1, with nothing lost on the way.
TEST(Entmax, TendsToSoftmax) {
  const Tensor x = drawn({3, 37});
  const Tensor soft = softmax(x, 1);
  for (const double above : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    EXPECT_THAT(numbers(entmax(x, 1, 1 + above)),
                Pointwise(testing::DoubleNear(2 * above + 1e-14), numbers(soft)))
        << above;
  }
}

TEST(Entmax, WithAlphaTwoIsSparsemax) {
  const Tensor x = drawn({3, 37}).set_requires_grad();
  EXPECT_EQ(numbers(entmax(x, 1, 2)), numbers(sparsemax(x, 1)));
  EXPECT_EQ(gradients(entmax(x, 1, 2), {x}), gradients(sparsemax(x, 1), {x}));
}

// Correia 2019: at alpha = 1 the gradient is -p (log^2 p - sum p log^2 p) / 2.
TEST(Entmax, HasAGradientToAlphaAtOne) {
  const Tensor x = drawn({11});
  const Tensor alpha = tensor(1, DType::f64).set_requires_grad();
  const Numbers p = numbers(softmax(x, 0)), g = numbers(drawn({11}));
  double middle = 0, expected = 0;
  for (const double value : p) middle += value * std::log(value) * std::log(value);
  for (std::size_t i = 0; i < p.size(); ++i) {
    expected -= g[i] * p[i] * (std::log(p[i]) * std::log(p[i]) - middle) / 2;
  }
  EXPECT_NEAR(gradients(entmax(x, 0, alpha), {alpha})[0][0], expected, 1e-14);
}

// What its derivative leaves out is no NaN on the way either, where it is recorded.
TEST(Entmax, MakesNothingThatIsNoNumberOnTheWay) {
  const DetectAnomaly anomaly;
  for (const double at : {1.0, 1.001, 1.5, 2.0}) {
    const Tensor x = tensor({0.3, -40, 0.1, 40, 39.99}, {5}, DType::f64).set_requires_grad();
    const Tensor alpha = tensor(at, DType::f64).set_requires_grad();
    const Tensor g = drawn({5});
    const auto first = grad({entmax(x, 0, alpha)}, {x, alpha}, {g}, {.create_graph = true});
    EXPECT_NO_THROW((sum(first[0] * g) + first[1]).backward()) << at;
    EXPECT_THAT(numbers(x.grad()), Each(testing::Truly([](double n) { return std::isfinite(n); })));
  }
}

TEST(Entmax, SumsToOneForAnyAlphaAndAnySpread) {
  for (const double alpha : {1.0, 1.001, 1.1, 1.5, 1.9, 2.0, 2.7, 5.0, 40.0, 900.0}) {
    for (const double spread : {0.0, 1e-8, 1.0, 50.0, 1e6}) {
      const Tensor p = entmax(drawn({5, 211}) * spread, 1, alpha);
      EXPECT_THAT(numbers(sum(p, {1})), Each(testing::DoubleNear(1, 1e-12)))
          << alpha << ' ' << spread;
      EXPECT_THAT(numbers(p), Each(testing::Ge(0)));
    }
  }
}

TEST(Entmax, GrowsSparserWithAlpha) {
  const Tensor x = drawn({101});
  double before = 102;
  for (const double alpha : {1.0, 1.25, 1.5, 2.0, 4.0}) {
    const double support =
        sum(Tensor((entmax(x, 0, alpha) > zeros({}, DType::f64)).array().to(DType::f64))).item();
    EXPECT_LT(support, before) << alpha;
    before = support;
  }
}

TEST(Sparsemax, IsTheNearestPointOfTheSimplex) {
  EXPECT_THAT(numbers(sparsemax(leaf({0.5, 0.25, 0.25}), 0)), ElementsAre(0.5, 0.25, 0.25));
  EXPECT_THAT(numbers(sparsemax(leaf({3, 1, 0}), 0)), ElementsAre(1, 0, 0));
  EXPECT_THAT(numbers(sparsemax(leaf({1, 0.5, -9}), 0)), ElementsAre(0.75, 0.25, 0));
  EXPECT_THAT(numbers(sparsemax(leaf({7, 7, 7, 7}), 0)), Each(0.25));
}

// A place on the edge of the support is outside of it.
TEST(Sparsemax, HasNoGradientAtTheEdgeOfItsSupport) {
  const Tensor x = leaf({1, 0, -3});
  EXPECT_THAT(gradients(sparsemax(x, 0), {x})[0], Each(0));
}

TEST(Normalisers, PassOverNaNUnderAMask) {
  const Tensor x = leaf({0.5, NAN, 0.25, kInf});
  const Tensor open = Tensor(Array::from(std::vector<bool>{true, false, true, false}));
  const Tensor shut = zeros({4}, DType::boolean);
  EXPECT_THAT(numbers(sparsemax(x, 0, open)), ElementsAre(0.625, 0, 0.375, 0));
  for (const auto& call : {+[](const Tensor&t, const Tensor&m) { return sparsemax(t, 0, m); },
                           +[](const Tensor&t, const Tensor&m) { return entmax(t, 0, 1.5, m); },
                           +[](const Tensor&t, const Tensor&m) { return entmax(t, 0, 1, m); }}) {
    const Numbers gx = gradients(call(x, open), {x})[0];
    EXPECT_NE(gx[0], 0);
    EXPECT_NEAR(gx[0], -gx[2], 1e-15);
    EXPECT_EQ(gx[1], 0);
    EXPECT_EQ(gx[3], 0);
    EXPECT_THAT(numbers(call(x, shut)), Each(0));
    EXPECT_THAT(gradients(call(x, shut), {x})[0], Each(0));
    EXPECT_THAT(numbers(call(x, Tensor())), Each(testing::IsNan()));
  }
}

TEST(Normalisers, TakeMinusInfinityAsNothing) {
  const Tensor x = leaf({0.5, -kInf, 0.25});
  EXPECT_THAT(numbers(sparsemax(x, 0)), ElementsAre(0.625, 0, 0.375));
  for (const double alpha : {1.0, 1.5, 3.0}) {
    const Numbers p = numbers(entmax(x, 0, alpha));
    EXPECT_NEAR(p[0] + p[2], 1, 1e-15);
    EXPECT_EQ(p[1], 0);
  }
}

TEST(LayerNorm, KeepsItsDigitsFarFromZero) {
  const Tensor near = drawn({3, 101}), far = near + 1e6;
  EXPECT_THAT(numbers(layer_norm(far, {101})),
              Pointwise(testing::DoubleNear(1e-8), numbers(layer_norm(near, {101}))));
}

TEST(LayerNorm, OfEqualNumbersIsItsBias) {
  const Tensor bias = leaf({1, 2, 3});
  EXPECT_EQ(numbers(layer_norm(full({2, 3}, 7, DType::f64), {3}, ones({3}, DType::f64), bias)),
            (Numbers{1, 2, 3, 1, 2, 3}));
}

// The same bits, results and gradients, whatever the number of threads.
TEST(Norms, DoNotDependOnTheNumberOfThreads) {
  const int before = num_threads();
  const auto run = [](const Tensor& x) {
    const Index width = x.size(-1), channels = x.size(1);
    const Tensor weight = drawn({width}, DType::f32).set_requires_grad();
    const Tensor bias = drawn({width}, DType::f32).set_requires_grad();
    const Tensor by_channel = drawn({channels}, DType::f32).set_requires_grad();
    const Tensor y = layer_norm(x, {width}, weight, bias) + rms_norm(x, {width}, weight) +
                     group_norm(x, 3, by_channel, by_channel) +
                     batch_norm(x, Tensor(), Tensor(), by_channel, by_channel, true) +
                     sparsemax(x, 1) + entmax(x, 2, 1.5);
    std::vector<Numbers> all{numbers(y)};
    for (const Tensor& gradient :
         grad({y}, {x, weight, bias, by_channel}, {drawn(y.shape(), DType::f32)})) {
      all.push_back(numbers(gradient));
    }
    return all;
  };
  const Tensor x = drawn({61, 6, 127}, DType::f32).set_requires_grad();
  set_num_threads(1);
  const auto one = run(x);
  for (const int threads : {2, 5}) {
    set_num_threads(threads);
    EXPECT_EQ(run(x), one) << threads << " threads";
  }
  set_num_threads(before);
}

// x has mean 2 and variance 8/3, unbiased 4, in its first channel; 5 and 0 in its second.
TEST(BatchNorm, MovesTheRunningAverages) {
  const Tensor x = tensor({0, 5, 2, 5, 4, 5}, {3, 2}, DType::f64);
  const Tensor mean = leaf({1, 1}).detach(), var = leaf({2, 2}).detach();
  batch_norm(x, mean, var, Tensor(), Tensor(), true, 0.25);
  EXPECT_THAT(numbers(mean), ElementsAre(1.25, 2));
  EXPECT_THAT(numbers(var), ElementsAre(2.5, 1.5));
  batch_norm(x, mean, var, Tensor(), Tensor(), false);
  EXPECT_THAT(numbers(mean), ElementsAre(1.25, 2)) << "evaluation moves nothing";
}

TEST(BatchNorm, ThatThrowsOrIsEmptyMovesNothing) {
  const Tensor mean = leaf({1, 1}).detach(), var = leaf({2, 2}).detach();
  EXPECT_ANY_THROW(batch_norm(zeros({1, 2}, DType::f64), mean, var, Tensor(), Tensor(), true));
  EXPECT_ANY_THROW(batch_norm(zeros({3, 2}, DType::f64), mean, var, leaf({1}), Tensor(), true));
  batch_norm(zeros({0, 2}, DType::f64), mean, var, Tensor(), Tensor(), true);
  EXPECT_THAT(numbers(mean), Each(1));
  EXPECT_THAT(numbers(var), Each(2));
}

TEST(Normalize, OfZerosIsZerosWithAFiniteGradient) {
  const Tensor x = leaf({0, 0, 0});
  EXPECT_THAT(numbers(normalize(x, 2, 0)), Each(0));
  const Tensor y = normalize(x, 2, 0, 0.5);  // x / eps
  EXPECT_EQ(numbers(grad({y}, {x}, {ones({3}, DType::f64)})[0]), Numbers(3, 2));
  const Numbers similarity = numbers(cosine_similarity(x, leaf({1, 2, 3}), 0));
  EXPECT_THAT(similarity, ElementsAre(0));
}

// The bound's own power may be too small for a number.
TEST(Normalize, OfZerosIsZerosForAnyPowerAndBound) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = Tensor(leaf({0, 0, 0}).array().to(dtype)).set_requires_grad();
    const auto expect = [&](double p, double eps) {
      const Tensor y = normalize(x, p, 0, eps);
      EXPECT_THAT(numbers(y), Each(0)) << p;
      for (const bool again : {true, false}) {
        const Tensor gx = grad({y}, {x}, {ones({3}, dtype)}, {.create_graph = again})[0];
        for (const double value : numbers(gx)) EXPECT_NEAR(value * eps, 1, 1e-6) << p;
      }
    };
    for (const double p : {1.0, 1.5, 2.0, 3.0, 4.0, 7.0, 30.0, kInf}) expect(p, 1e-12);
    expect(2, 1e-30);
    EXPECT_THAT(numbers(cosine_similarity(x, ones({3}, dtype), 0, 1e-30)), ElementsAre(0));
  }
  const Tensor y = normalize(leaf({3, -4, 0}), 4, 0);
  EXPECT_NEAR(numbers(y)[1], -4 / std::pow(81.0 + 256.0, 0.25), 1e-15);
}

TEST(Normalize, OfNaNIsNaN) {
  for (const double p : {1.0, 2.0, 3.0}) {
    for (const double value : numbers(normalize(leaf({std::nan(""), 1, 2}), p, 0))) {
      EXPECT_TRUE(std::isnan(value)) << p;
    }
  }
}

// A row that has NaN gives NaN, and so do its gradients; others, and what is masked, do not see it.
TEST(Normalisers, OfNaNHaveNaNForAGradient) {
  const double nan = std::nan("");
  using Call = Tensor (*)(const Tensor&, Index);
  const std::vector<Call> calls = {
      [](const Tensor& t, Index axis) { return softmax(t, axis); },
      [](const Tensor& t, Index axis) { return log_softmax(t, axis); },
      [](const Tensor& t, Index axis) { return sparsemax(t, axis); },
      [](const Tensor& t, Index axis) { return entmax(t, axis, 1.5); }};
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index wide : {3, 19}) {  // where columns are many, another kernel goes along them
      Tensor x = drawn({5, wide}, dtype);
      fill_(select(select(x, 0, 2), 0, 1), nan);
      x.set_requires_grad();
      for (const Index axis : {0, 1}) {
        for (const Call call : calls) {
          const Tensor y = call(x, axis);
          EXPECT_EQ(sum(isnan(y)).item(), axis == 0 ? 5 : wide);
          for (const bool again : {true, false}) {
            const Tensor g = drawn(y.shape(), dtype);
            const Tensor gx = grad({y}, {x}, {g}, {.create_graph = again})[0];
            EXPECT_EQ(numbers(isnan(gx)), numbers(isnan(y))) << wide << axis << again;
          }
        }
      }
    }
  }
}

TEST(Normalisers, OfNaNHaveZerosUnderAMask) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Tensor x = drawn({5, 19}, dtype);
    fill_(select(select(x, 0, 2), 0, 1), std::nan(""));
    const Tensor open = drawn({19}) > 0;
    fill_(select(open, 0, 1), 1);
    const Tensor shut = logical_not(open);
    x.set_requires_grad();
    for (const auto call : {+[](const Tensor&t, const Tensor&m) { return softmax(t, 1, m); },
                            +[](const Tensor&t, const Tensor&m) { return sparsemax(t, 1, m); },
                            +[](const Tensor&t, const Tensor&m) { return entmax(t, 1, 1.5, m); }}) {
      const Tensor y = call(x, open), g = drawn(y.shape(), dtype);
      const auto wrong = logical_and(isnan(y), shut);
      EXPECT_EQ(sum(wrong).item(), 0);
      EXPECT_EQ(sum(isnan(y)).item(), sum(open).item());
      for (const bool again : {true, false}) {
        const Tensor gx = grad({y}, {x}, {g}, {.create_graph = again})[0];
        EXPECT_EQ(numbers(isnan(gx)), numbers(isnan(y))) << again;
        EXPECT_EQ(sum(where(shut, abs(gx), tensor(0, dtype))).item(), 0) << again;
      }
    }
  }
}

// A probability of 0 takes no part in the gradient, recorded or not, whatever comes back to it.
TEST(Softmax, WhatIsImpossibleHasNoGradient) {
  for (const double back : {1.0, kInf, std::nan("")}) {
    const Tensor x = leaf({-kInf, 0, 0}), g = tensor({back, 1, 3}, {3}, DType::f64);
    for (const bool again : {true, false}) {
      const auto of = [&](const Tensor& y) {
        return numbers(grad({y}, {x}, {g}, {.create_graph = again})[0]);
      };
      EXPECT_THAT(of(softmax(x, 0)), ElementsAre(0, -0.5, 0.5)) << back << again;
      EXPECT_THAT(of(log_softmax(x, 0)),
                  ElementsAre(0, testing::DoubleNear(-1, 1e-14), testing::DoubleNear(1, 1e-14)))
          << back << again;
    }
  }
}

// By way of logarithms the last digit of f64 would go.
TEST(Normalize, OfAnyOrderKeepsItsDigits) {
  for (const double p : {4.0, 8.0}) {  // of which 1 / p is exact
    for (int k = 1; k < 23; ++k) {
      const Tensor x = tensor({0, -k * 1.1e30, 0}, {3}, DType::f64);
      EXPECT_NEAR(numbers(normalize(x, p, 0))[1], -1, 5e-16) << p << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace heed
