#include "../../../../core/kernels/elementwise/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

constexpr Activation kAll[] = {Activation::log_sigmoid, Activation::leaky_relu, Activation::elu,
                               Activation::gelu,        Activation::gelu_tanh,  Activation::silu,
                               Activation::softplus,    Activation::clamp};
constexpr double kA = 0.7;
constexpr double kB = 1.9;

template <class T>
class Activations : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Activations, Floats);

// Close to what double precision gives, where nothing cancels by the formula itself.
TYPED_TEST(Activations, AreAccurate) {
  using T = TypeParam;
  const Array x = Generator(7).uniform({4001}, -12, 12, DType::f64).to(dtype_of<T>);
  const std::vector<T> at = x.to_vector<T>();
  const double room = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto expect = [&](Activation op, double (*exact)(double)) {
    const std::vector<T> found = activation(op, x, kA, kB).template to_vector<T>();
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double expected = exact(static_cast<double>(at[i]));
      ASSERT_NEAR(found[i], expected, room * std::fabs(expected)) << name(op) << " of " << at[i];
    }
  };
  expect(Activation::log_sigmoid,
         [](double v) { return v < 0 ? v - std::log1p(std::exp(v)) : -std::log1p(std::exp(-v)); });
  expect(Activation::leaky_relu, [](double v) { return v > 0 ? v : kA * v; });
  expect(Activation::elu, [](double v) { return v > 0 ? v : kA * std::expm1(v); });
  expect(Activation::silu, [](double v) { return v / (1 + std::exp(-v)); });
  expect(Activation::softplus,
         [](double v) { return kA * v > kB ? v : std::log1p(std::exp(kA * v)) / kA; });
  expect(Activation::clamp,
         [](double v) { return std::min(std::max(v, double{T(kA)}), double{T(kB)}); });
}

// In the left tail 1 + erf cancels, so that gelu is accurate in proportion to x.
TYPED_TEST(Activations, GeluIsAccurateInProportionToX) {
  using T = TypeParam;
  const Array x = Generator(7).uniform({4001}, -12, 12, DType::f64).to(dtype_of<T>);
  const std::vector<T> at = x.to_vector<T>();
  const std::vector<T> found = activation(Activation::gelu, x).template to_vector<T>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double v = static_cast<double>(at[i]);
    const double room = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::fabs(v);
    ASSERT_NEAR(found[i], v / 2 * std::erfc(-v / std::numbers::sqrt2), room) << "at " << v;
  }
}

TYPED_TEST(Activations, OfViewsAndTailsAreTheSame) {
  using T = TypeParam;
  const Array x = Generator(5).normal({67, 300}, 0, 1, dtype_of<T>);
  const Array g = Generator(6).normal({300, 67}, 0, 1, dtype_of<T>).transpose(0, 1);
  const Array odd_x = x.slice(1, 1, 300, 3);
  const Array odd_g = g.slice(1, 1, 300, 3);
  for (const Activation op : kAll) {
    EXPECT_EQ(activation(op, odd_x, kA, kB).template to_vector<T>(),
              activation(op, x, kA, kB).slice(1, 1, 300, 3).template to_vector<T>())
        << name(op);
    EXPECT_EQ(
        activation_grad(op, odd_g, odd_x, kA, kB).template to_vector<T>(),
        activation_grad(op, g.contiguous(), x, kA, kB).slice(1, 1, 300, 3).template to_vector<T>())
        << name(op);
  }
}

TEST(Activation, RefusesWhatDoesNotFit) {
  const Array x = Array::zeros({3, 5}, DType::f32);
  EXPECT_ERROR(DTypeError, "silu: takes f32 or f64, not i64",
               activation(Activation::silu, Array::zeros({3}, DType::i64)));
  EXPECT_ERROR(DTypeError, "elu: dtypes differ: g is f64[3, 5], x is f32[3, 5]",
               activation_grad(Activation::elu, x.to(DType::f64), x, 1));
  EXPECT_ERROR(ShapeError, "gelu: shapes differ: g is f32[5], x is f32[3, 5]",
               activation_grad(Activation::gelu, x.select(0, 0), x));
}

}  // namespace
}  // namespace heed::kernels
