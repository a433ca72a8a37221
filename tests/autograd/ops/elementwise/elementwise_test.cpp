// Sub-gradients at kinks, values at the ends, comparisons with numbers: what the table's random
// samples do not meet.
#include "../../../../autograd/ops/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/clamp.h"
#include "../../../../autograd/ops/elementwise/power.h"
#include "../../../../autograd/ops/elementwise/trigonometry.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../support/numbers.h"
#include "../../kinks.h"

namespace heed {
namespace {

using Flags = std::vector<bool>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Flags flags(const Tensor& x) { return x.array().to_vector<bool>(); }

TEST(Kinks, OfActivationsAreLeftDerivatives) {
  const Tensor x = leaf({-1, 0, -0.0, 1});
  EXPECT_EQ(gradient(leaky_relu(x, 0.25), x), (Numbers{0.25, 0.25, 0.25, 1}));
  EXPECT_EQ(gradient(elu(x, 0.5), x), (Numbers{0.5 * std::exp(-1.0), 0.5, 0.5, 1}));
  EXPECT_EQ(gradient(sign(x), x), (Numbers{0, 0, 0, 0}));
}

TEST(Kinks, OfSoftplusIsAtTheThreshold) {
  const Tensor x = leaf({1, 2, 3});
  const Numbers found = gradient(softplus(x, 2, 4), x);  // 2 x > 4 beyond the second
  EXPECT_NEAR(found[1], 1 / (1 + std::exp(-4.0)), 1e-15);
  EXPECT_EQ(found[2], 1);
  EXPECT_EQ(numbers(softplus(x, 2, 4))[2], 3);
}

TEST(Kinks, OfClampKeepTheGradientAtTheBounds) {
  const Tensor x = leaf({-2, -1, 0, 1, 2});
  EXPECT_EQ(gradient(clamp(x, -1, 1), x), (Numbers{0, 1, 1, 1, 0}));
  EXPECT_EQ(gradient(clamp(x, -1, {}), x), (Numbers{0, 1, 1, 1, 1}));
  const Tensor low = leaf({-1, -1, -1, -1, 3}), high = leaf({1, 1, 1, 1, 1});
  const auto out = [&] { return clamp(x, low, high); };
  EXPECT_EQ(numbers(out()), (Numbers{-1, -1, 0, 1, 1}));
  EXPECT_EQ(gradient(out(), x), (Numbers{0, 1, 1, 1, 0}));
  EXPECT_EQ(gradient(out(), low), (Numbers{1, 0, 0, 0, 0}));
  EXPECT_EQ(gradient(out(), high), (Numbers{0, 0, 0, 0, 1}));
}

// Unlike clamp's, as in PyTorch; a number beside a bound is inside.
TEST(Kinks, OfHardActivationsAreFlatAtBothBounds) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto expect = [&](auto&& call, double low, double high) {
      const auto next = [&](double from, double to) {
        return dtype == DType::f64
                   ? std::nextafter(from, to)
                   : std::nextafter(static_cast<float>(from), static_cast<float>(to));
      };
      const Numbers at = {low - 1, low, next(low, high), (low + 3 * high) / 4, high, high + 1};
      const Tensor x = tensor(at, {6}, dtype).set_requires_grad();
      const Tensor y = call(x), g = full({6}, 3, dtype);
      for (const bool again : {true, false}) {
        const Tensor gx = grad({y}, {x}, {g}, {.create_graph = again})[0];
        const Numbers found = gx.array().to(DType::f64).to_vector<double>();
        EXPECT_EQ(found, (Numbers{0, 0, 3, 3, 0, 0})) << name(dtype) << again;
      }
    };
    expect([](const Tensor& t) { return relu6(t); }, 0, 6);
    expect([](const Tensor& t) { return hardtanh(t); }, -1, 1);
    expect([](const Tensor& t) { return hardtanh(t, -0.5, 2); }, -0.5, 2);
    expect([](const Tensor& t) { return 6 * hardsigmoid(t); }, -3, 3);
  }
}

// The derivatives of both orders of f at x, in f32 as in f64.
void expect_slopes(const std::function<Tensor(const Tensor&)>& f, const Numbers& at,
                   const Numbers& first, const Numbers& second) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Shape shape{static_cast<Index>(at.size())};
    const Tensor x = tensor(at, shape, dtype).set_requires_grad();
    const Tensor y = f(x), one = full(shape, 1, dtype);
    const Tensor recorded = grad({y}, {x}, {one}, {.create_graph = true})[0];
    const Tensor bent = grad({recorded}, {x}, {one})[0];
    const Tensor fused = grad({y}, {x}, {one})[0];
    for (const auto& [found, wanted] :
         {std::pair(recorded, first), std::pair(fused, first), std::pair(bent, second)}) {
      const Numbers got = found.array().to(DType::f64).to_vector<double>();
      for (std::size_t i = 0; i < at.size(); ++i) {
        EXPECT_NEAR(got[i], wanted[i], 1e-6 * std::abs(wanted[i])) << name(dtype) << " " << at[i];
      }
    }
  }
}

TEST(FarOut, GeluIsItsInputOrNothing) {
  const auto f = [](const Tensor& x) { return gelu(x, Gelu::tanh); };
  expect_slopes(f, {-2e19, -11, 11, 2e19}, {0, 0, 1, 1}, Numbers(4, 0));
  const Tensor x = leaf({-1e155, 1e155});
  EXPECT_EQ(gradient(f(x), x), (Numbers{0, 1}));
}

TEST(FarOut, SoftsignFlattensByTheSquare) {
  const auto below = [](double x) { return 1 + std::abs(x); };
  const Numbers at = {-2e7, -1e4, -3, 0.25, 3, 1e4, 2e7};
  Numbers first, second;
  for (const double x : at) {
    first.push_back(std::pow(below(x), -2));
    second.push_back((x > 0 ? -2 : 2) * std::pow(below(x), -3));
  }
  expect_slopes(softsign, at, first, second);
}

// At y = x: 1 / 2x by y, and that falls by 1 / 2x^2.
TEST(FarOut, Atan2HasTheSlopesOfAnySize) {
  for (const double size : {1e-18, 1e-3, 1e18}) {
    const auto by_y = [size](const Tensor& y) { return atan2(y, full({1}, size, y.dtype())); };
    expect_slopes(by_y, {size}, {0.5 / size}, {-0.5 / size / size});
    const auto by_x = [size](const Tensor& x) { return atan2(full({1}, size, x.dtype()), x); };
    expect_slopes(by_x, {size}, {-0.5 / size}, {0.5 / size / size});
  }
  for (const double size : {1e-23, 1e20}) {
    const Tensor y = full({1}, size, DType::f32).set_requires_grad();
    const Tensor x = full({1}, size, DType::f32).set_requires_grad();
    const auto g = grad({atan2(y, x)}, {y, x});
    EXPECT_NEAR(g[0].item() * size, 0.5, 1e-6);
    EXPECT_NEAR(g[1].item() * size, -0.5, 1e-6);
  }
}

TEST(Clamp, WithCrossedBoundsIsTheUpperOne) {
  const Tensor x = leaf({-2, 0, 5});
  EXPECT_EQ(numbers(clamp(x, 3, 1)), (Numbers{1, 1, 1}));
  EXPECT_EQ(gradient(clamp(x, 3, 1), x), (Numbers{0, 0, 0}));
}

TEST(Clamp, HandsOnNaN) {
  const Numbers found = numbers(clamp(tensor({kNan, kInf, -kInf}, {3}, DType::f64), -1, 1));
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], 1);
  EXPECT_EQ(found[2], -1);
  EXPECT_TRUE(std::isnan(numbers(clamp(tensor({1}, {1}, DType::f64), kNan, 2))[0]));
}

TEST(Pow, AtZeroAsInPyTorch) {
  const Tensor x = leaf({0, 0, 0, 0}), y = leaf({0, 1, 2, 3});
  EXPECT_EQ(numbers(pow(x, y)), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(gradient(pow(x, y), x), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(gradient(pow(x, y), y), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(gradient(pow(0, y), y), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(gradient(pow(x, 0), x), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(gradient(pow(x, 1), x), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(gradient(pow(x, 2), x), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(gradient(pow(x, 0.5), x), (Numbers{kInf, kInf, kInf, kInf}));
}

// By x, by y, of both derivatives: y x^(y - 1) and x^y log x.
TEST(Pow, AtZeroHasSecondDerivatives) {
  const Tensor x = leaf({0, 0, 2, 1e-200}), y = leaf({0, 2, 0, 0});
  const Tensor one = full({4}, 1, DType::f64);
  const auto first = grad({pow(x, y)}, {x, y}, {one}, {.create_graph = true});
  const auto by_x = grad({first[0]}, {x, y}, {one}, {.retain_graph = true});
  const auto by_y = grad({first[1]}, {x, y}, {one});
  EXPECT_EQ(numbers(by_x[0]), (Numbers{0, 2, 0, 0}));
  EXPECT_LT(difference(slice(by_x[1], 0, 0, 3), Numbers{0, 0, 0.5}), 1e-15);
  EXPECT_LT(difference(slice(by_y[0], 0, 0, 3), Numbers{0, 0, 0.5}), 1e-15);
  const double log_2 = std::log(2);
  EXPECT_LT(difference(slice(by_y[1], 0, 0, 3), Numbers{0, 0, log_2 * log_2}), 1e-15);
}

TEST(Pow, OfNegativeNumbers) {
  const Tensor x = leaf({-2, -2, -2}), y = leaf({2, 3, -1});
  EXPECT_EQ(numbers(pow(x, y)), (Numbers{4, -8, -0.5}));
  EXPECT_EQ(gradient(pow(x, y), x), (Numbers{-4, 12, -0.25}));
  EXPECT_TRUE(std::isnan(numbers(pow(x, 0.5))[0]));
  EXPECT_EQ(numbers(pow(tensor(-kInf, DType::f64), 0.5))[0], kInf);
}

TEST(Tails, DoNotOverflow) {
  const Tensor x = leaf({-800, 800});
  EXPECT_EQ(numbers(log_sigmoid(x)), (Numbers{-800, 0}));
  EXPECT_EQ(gradient(log_sigmoid(x), x), (Numbers{1, 0}));
  EXPECT_EQ(numbers(softplus(x, 1, 1e9)), (Numbers{0, 800}));
  EXPECT_EQ(numbers(silu(x)), (Numbers{0, 800}));
  EXPECT_EQ(gradient(silu(x), x), (Numbers{0, 1}));
  EXPECT_EQ(numbers(elu(x)), (Numbers{-1, 800}));
  EXPECT_EQ(gradient(elu(x), x), (Numbers{0, 1}));
  EXPECT_EQ(numbers(gelu(x)), (Numbers{0, 800}));
  EXPECT_EQ(gradient(gelu(x), x), (Numbers{0, 1}));
  EXPECT_EQ(gradient(gelu(x, Gelu::tanh), x), (Numbers{0, 1}));
  // Second order through the side that is not taken.
  const Tensor first = grad({elu(x)}, {x}, {ones({2}, DType::f64)}, {.create_graph = true})[0];
  EXPECT_EQ(gradient(first, x), (Numbers{0, 0}));
}

TEST(Activations, HandOnNaN) {
  const Tensor x = tensor({kNan}, {1}, DType::f64);
  for (const Tensor& y : {log_sigmoid(x), leaky_relu(x), elu(x), gelu(x), gelu(x, Gelu::tanh),
                          silu(x), softplus(x)}) {
    EXPECT_TRUE(std::isnan(y.item()));
  }
}

TEST(Lerp, IsExactAtBothEnds) {
  const Tensor x = tensor({1e16, 0.1}, {2}, DType::f64), y = tensor({1, 0.7}, {2}, DType::f64);
  EXPECT_EQ(numbers(lerp(x, y, 0)), numbers(x));
  EXPECT_EQ(numbers(lerp(x, y, 1)), numbers(y));
}

TEST(Compare, WithNumbers) {
  const Tensor x = tensor({1, 2, 3}, {3});
  EXPECT_EQ(flags(x == 2), (Flags{false, true, false}));
  EXPECT_EQ(flags(x != 2), (Flags{true, false, true}));
  EXPECT_EQ(flags(x < 2), (Flags{true, false, false}));
  EXPECT_EQ(flags(x <= 2), (Flags{true, true, false}));
  EXPECT_EQ(flags(x > 2), (Flags{false, false, true}));
  EXPECT_EQ(flags(x >= 2), (Flags{false, true, true}));
  EXPECT_EQ(flags(2 == x), (Flags{false, true, false}));
  EXPECT_EQ(flags(2 != x), (Flags{true, false, true}));
  EXPECT_EQ(flags(2 < x), (Flags{false, false, true}));
  EXPECT_EQ(flags(2 <= x), (Flags{false, true, true}));
  EXPECT_EQ(flags(2 > x), (Flags{true, false, false}));
  EXPECT_EQ(flags(2 >= x), (Flags{true, true, false}));
  EXPECT_EQ(flags(tensor({0.1}, {1}) == 0.1), (Flags{true}));  // rounded to f32 like x
}

TEST(Compare, IntegersAndBoolsByValue) {
  const Tensor ids = Array::from(std::vector<std::int64_t>{2, 3, (std::int64_t{1} << 53) + 1});
  EXPECT_EQ(flags(ids < 2.5), (Flags{true, false, false}));
  EXPECT_EQ(flags(ids > 2.5), (Flags{false, true, true}));
  EXPECT_EQ(flags(ids == 0x1p53), (Flags{false, false, false}));
  EXPECT_EQ(flags(ids < kInf), (Flags{true, true, true}));
  EXPECT_EQ(flags(ids == kNan), (Flags{false, false, false}));
  EXPECT_EQ(flags(ids < 1e300), (Flags{true, true, true}));
  const Tensor mask = ids > 2;
  EXPECT_EQ(flags(mask == 1), (Flags{false, true, true}));
  EXPECT_EQ(flags(mask == 2), (Flags{false, false, false}));
}

TEST(Compare, NaNIsUnequalToAll) {
  const Tensor x = tensor({kNan, 1}, {2}, DType::f64);
  EXPECT_EQ(flags(x == x), (Flags{false, true}));
  EXPECT_EQ(flags(x != x), (Flags{true, false}));
  EXPECT_EQ(flags(x >= kNan), (Flags{false, false}));
}

// As in PyTorch but for sign(), which is 0 of NaN there.
TEST(NaN, ComesOut) {
  const Tensor nan = leaf({kNan}), one = leaf({1});
  for (const Tensor& out :
       {maximum(nan, one), maximum(one, nan), minimum(nan, one), minimum(one, nan), abs(nan),
        relu(nan), sign(nan), clamp(nan, -1, 1), clamp(nan, one, one), clamp(one, nan, one)}) {
    EXPECT_TRUE(std::isnan(numbers(out)[0]));
  }
}

TEST(NaN, HasTheGradientThatIsDocumented) {
  const Tensor x = leaf({kNan, 2, kNan}), y = leaf({1, kNan, kNan});
  const Numbers all = {1, 1, 1}, none = {0, 0, 0};
  EXPECT_EQ(gradient(maximum(x, y), x), all);
  EXPECT_EQ(gradient(maximum(x, y), y), all);
  EXPECT_EQ(gradient(minimum(x, y), x), all);
  EXPECT_EQ(gradient(minimum(x, y), y), all);
  const Tensor nan = leaf({kNan, kNan, kNan}), low = leaf(none), high = leaf(all);
  EXPECT_EQ(gradient(abs(nan), nan), none);
  EXPECT_EQ(gradient(relu(nan), nan), all);
  EXPECT_EQ(gradient(clamp(nan, -1, 1), nan), none);
  EXPECT_EQ(gradient(clamp(nan, low, high), nan), none);
  EXPECT_EQ(gradient(clamp(nan, low, high), low), none);
  EXPECT_EQ(gradient(clamp(low, nan, high), low), none);
  EXPECT_EQ(gradient(clamp(low, nan, high), nan), none);
}

// A gradient that is infinite must not become NaN on the side that lost.
TEST(NaN, OfAnInfiniteGradientStaysAway) {
  const Tensor x = leaf({1, 2}), y = leaf({2, 1});
  const Tensor g = full({2}, kInf, DType::f64);
  EXPECT_EQ(numbers(grad({maximum(x, y)}, {x}, {g})[0]), (Numbers{0, kInf}));
  EXPECT_EQ(numbers(grad({minimum(x, y)}, {x}, {g})[0]), (Numbers{kInf, 0}));
}

TEST(Logic, Tables) {
  const Tensor p = Array::from(std::vector<bool>{false, false, true, true});
  const Tensor q = Array::from(std::vector<bool>{false, true, false, true});
  EXPECT_EQ(flags(logical_and(p, q)), (Flags{false, false, false, true}));
  EXPECT_EQ(flags(logical_or(p, q)), (Flags{false, true, true, true}));
  EXPECT_EQ(flags(logical_xor(p, q)), (Flags{false, true, true, false}));
  EXPECT_EQ(flags(logical_not(p)), (Flags{true, true, false, false}));
}

TEST(Classify, EveryDtype) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({kNan, kInf, -kInf, 0, -1}, {5}, dtype);
    EXPECT_EQ(flags(isnan(x)), (Flags{true, false, false, false, false}));
    EXPECT_EQ(flags(isinf(x)), (Flags{false, true, true, false, false}));
    EXPECT_EQ(flags(isfinite(x)), (Flags{false, false, false, true, true}));
  }
  const Tensor ids = zeros({2}, DType::i64);
  EXPECT_EQ(flags(isnan(ids)), (Flags{false, false}));
  EXPECT_EQ(flags(isfinite(ids)), (Flags{true, true}));
}

TEST(Logarithms, OfPowersAreWhole) {
  Numbers twos, tens, of_two, of_ten;
  for (int k = -37; k <= 38; ++k) {
    twos.push_back(std::ldexp(1.0, k));
    tens.push_back(std::stod("1e" + std::to_string(k)));
    of_two.push_back(k);
    of_ten.push_back(k);
  }
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Shape shape{static_cast<Index>(twos.size())};
    EXPECT_EQ(numbers(log2(tensor(twos, shape, dtype)).to(DType::f64)), of_two) << name(dtype);
    EXPECT_EQ(numbers(log10(tensor(tens, shape, dtype)).to(DType::f64)), of_ten) << name(dtype);
  }
  EXPECT_EQ(numbers(log10(leaf({0, kInf}))), (Numbers{-kInf, kInf}));
  EXPECT_TRUE(std::isnan(log2(tensor(-1.0)).item()));
}

}  // namespace
}  // namespace heed
