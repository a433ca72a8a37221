#include "../../../../core/kernels/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

// Steps between two numbers on the ladder of all floats: 0 for equal ones, NaNs are equal.
template <class T>
double steps_between(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const auto place = [](T x) {
    const auto bits = std::bit_cast<Bits>(x);
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
  };
  Bits apart = 0;
  if (__builtin_sub_overflow(place(a), place(b), &apart)) return HUGE_VAL;
  return std::fabs(static_cast<double>(apart));
}

// The function in more digits than T has.
long double exact(Unary op, long double x) {
  switch (op) {
    case Unary::exp: return std::exp(x);
    case Unary::log: return std::log(x);
    case Unary::tanh: return std::tanh(x);
    case Unary::sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Unary::sqrt: return std::sqrt(x);
    case Unary::rsqrt: return 1 / std::sqrt(x);
    case Unary::expm1: return std::expm1(x);
    case Unary::log1p: return std::log1p(x);
    case Unary::sin: return std::sin(x);
    case Unary::cos: return std::cos(x);
    case Unary::erf: return std::erf(x);
    default: return x;
  }
}

template <class T>
void expect_accurate(Unary op, double low, double high, double steps) {
  Generator generator(3);
  std::vector<T> values;
  const Array drawn = generator.uniform({40000}, low, high, DType::f64);
  for (const double value : drawn.to_vector<double>()) values.push_back(static_cast<T>(value));
  const auto found = unary(op, Array::from(values)).template to_vector<T>();
  double worst = 0;
  T where = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T expected = static_cast<T>(exact(op, values[i]));
    if (std::fabs(expected) < std::numeric_limits<T>::min())
      continue;  // denormal results may be rounded away
    const double off = steps_between(found[i], expected);
    if (off > worst) {
      worst = off;
      where = values[i];
    }
  }
  EXPECT_LE(worst, steps) << name(op) << " at " << where;
}

template <class T>
class Accuracy : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Accuracy, Floats);

TYPED_TEST(Accuracy, WithinFourUnitsInTheLastPlace) {
  using T = TypeParam;
  const double top = sizeof(T) == 4 ? 88 : 709;
  expect_accurate<T>(Unary::exp, -top, top, 4);
  expect_accurate<T>(Unary::exp, -1, 1, 4);
  expect_accurate<T>(Unary::log, 1e-6, 10, 4);
  expect_accurate<T>(Unary::log, 1, 1e30, 4);
  expect_accurate<T>(Unary::log, 0.9, 1.1, 4);
  expect_accurate<T>(Unary::tanh, -10, 10, 5);
  expect_accurate<T>(Unary::tanh, -0.1, 0.1, 5);
  expect_accurate<T>(Unary::tanh, -1e-5, 1e-5, 5);
  expect_accurate<T>(Unary::sigmoid, -30, 30, 5);
  expect_accurate<T>(Unary::sigmoid, -80, -60, 5);
  expect_accurate<T>(Unary::expm1, -40, top, 4);
  expect_accurate<T>(Unary::expm1, -1, 1, 4);
  expect_accurate<T>(Unary::expm1, -1e-6, 1e-6, 4);
  expect_accurate<T>(Unary::log1p, -0.999, 3, 4);
  expect_accurate<T>(Unary::log1p, 1, 1e30, 4);
  expect_accurate<T>(Unary::log1p, -1e-6, 1e-6, 4);
  expect_accurate<T>(Unary::sin, -4, 4, 4);
  expect_accurate<T>(Unary::sin, -200, 200, 4);
  expect_accurate<T>(Unary::sin, -30000, 30000, 4);
  expect_accurate<T>(Unary::sin, -1e30, 1e30, 4);
  expect_accurate<T>(Unary::cos, -4, 4, 4);
  expect_accurate<T>(Unary::cos, -200, 200, 4);
  expect_accurate<T>(Unary::cos, -1e30, 1e30, 4);
  expect_accurate<T>(Unary::erf, -6, 6, 4);
  expect_accurate<T>(Unary::erf, -1, 1, 4);
  expect_accurate<T>(Unary::erf, -1e-5, 1e-5, 4);
  expect_accurate<T>(Unary::rsqrt, 0, 1e30, 2);
  expect_accurate<T>(Unary::sqrt, 0, 1e30, 1);  // the comparison itself rounds twice
}

TYPED_TEST(Accuracy, EndsAsIeeeSays) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T least = std::numeric_limits<T>::denorm_min();
  const T most = std::numeric_limits<T>::max();
  const auto of = [](Unary op, T x) {
    // Alone and in the middle of a vector: tail and body.
    std::vector<T> many(37, T{1});
    many[5] = x;
    const T single = unary(op, Array::from(std::vector<T>{x})).template to_vector<T>()[0];
    const T inside = unary(op, Array::from(many)).template to_vector<T>()[5];
    EXPECT_EQ(steps_between(single, inside), 0) << name(op) << " of " << x;
    return single;
  };
  for (const Unary op :
       {Unary::neg, Unary::abs, Unary::exp, Unary::log, Unary::sqrt, Unary::reciprocal,
        Unary::square, Unary::tanh, Unary::sigmoid, Unary::relu, Unary::sign, Unary::expm1,
        Unary::log1p, Unary::rsqrt, Unary::sin, Unary::cos, Unary::erf}) {
    EXPECT_TRUE(std::isnan(of(op, nan))) << name(op);
  }
  EXPECT_EQ(of(Unary::exp, inf), inf);
  EXPECT_EQ(of(Unary::exp, -inf), 0);
  EXPECT_EQ(of(Unary::exp, most), inf);
  EXPECT_EQ(of(Unary::exp, -most), 0);
  EXPECT_EQ(of(Unary::exp, T{-0.0}), 1);
  EXPECT_EQ(of(Unary::exp, T{0}), 1);
  EXPECT_EQ(of(Unary::log, inf), inf);
  EXPECT_EQ(of(Unary::log, T{0}), -inf);
  EXPECT_EQ(of(Unary::log, T{-0.0}), -inf);
  EXPECT_EQ(of(Unary::log, T{1}), 0);
  EXPECT_TRUE(std::isnan(of(Unary::log, T{-1})));
  EXPECT_TRUE(std::isnan(of(Unary::log, -inf)));
  EXPECT_NEAR(of(Unary::log, least), std::log(static_cast<double>(least)), 1e-4);
  EXPECT_EQ(of(Unary::expm1, inf), inf);
  EXPECT_EQ(of(Unary::expm1, most), inf);
  EXPECT_EQ(of(Unary::expm1, -inf), -1);
  EXPECT_EQ(of(Unary::expm1, -most), -1);
  EXPECT_TRUE(std::signbit(of(Unary::expm1, T{-0.0})));
  EXPECT_EQ(of(Unary::expm1, least), least);
  EXPECT_EQ(of(Unary::log1p, inf), inf);
  EXPECT_EQ(of(Unary::log1p, T{-1}), -inf);
  EXPECT_TRUE(std::isnan(of(Unary::log1p, T{-2})));
  EXPECT_TRUE(std::isnan(of(Unary::log1p, -inf)));
  EXPECT_TRUE(std::signbit(of(Unary::log1p, T{-0.0})));
  EXPECT_EQ(of(Unary::log1p, least), least);
  EXPECT_EQ(of(Unary::rsqrt, T{0}), inf);
  EXPECT_EQ(of(Unary::rsqrt, inf), 0);
  EXPECT_TRUE(std::isnan(of(Unary::rsqrt, T{-1})));
  for (const Unary op : {Unary::sin, Unary::cos}) {
    EXPECT_TRUE(std::isnan(of(op, inf)) && std::isnan(of(op, -inf))) << name(op);
    EXPECT_LE(std::fabs(of(op, most)), 1) << name(op);
  }
  EXPECT_EQ(of(Unary::sin, least), least);
  EXPECT_TRUE(std::signbit(of(Unary::sin, T{-0.0})));
  EXPECT_EQ(of(Unary::cos, T{-0.0}), 1);
  EXPECT_EQ(of(Unary::erf, inf), 1);
  EXPECT_EQ(of(Unary::erf, -inf), -1);
  EXPECT_EQ(of(Unary::erf, -most), -1);
  EXPECT_TRUE(std::signbit(of(Unary::erf, T{-0.0})));
  EXPECT_NEAR(of(Unary::erf, least) / static_cast<double>(least), 1, 0.2);
  EXPECT_EQ(of(Unary::tanh, inf), 1);
  EXPECT_EQ(of(Unary::tanh, -inf), -1);
  EXPECT_EQ(of(Unary::tanh, most), 1);
  EXPECT_EQ(of(Unary::tanh, T{0}), 0);
  EXPECT_TRUE(std::signbit(of(Unary::tanh, T{-0.0})));
  EXPECT_EQ(of(Unary::sigmoid, inf), 1);
  EXPECT_EQ(of(Unary::sigmoid, -inf), 0);
  EXPECT_EQ(of(Unary::sigmoid, T{0}), T{0.5});
  EXPECT_EQ(of(Unary::sigmoid, -most), 0);
  EXPECT_EQ(of(Unary::sqrt, inf), inf);
  EXPECT_TRUE(std::isnan(of(Unary::sqrt, T{-1})));
  EXPECT_EQ(of(Unary::reciprocal, T{0}), inf);
  EXPECT_EQ(of(Unary::reciprocal, T{-0.0}), -inf);
  EXPECT_EQ(of(Unary::relu, -inf), 0);
  EXPECT_EQ(of(Unary::relu, inf), inf);
  EXPECT_EQ(of(Unary::sign, T{-3}), -1);
  EXPECT_EQ(of(Unary::sign, T{0}), 0);
  EXPECT_EQ(of(Unary::abs, -inf), inf);
  EXPECT_TRUE(std::signbit(of(Unary::neg, T{0})));
}

// Also where a result is no normal number, and beside lanes that leave the type.
TEST(Exponential, OfALaneDoesNotDependOnItsNeighbours) {
  std::vector<float> values;
  for (float x = -104.5F; x < 89.5F; x += 0.037F) values.push_back(x);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> beside = {inf, -inf, std::nanf(""), -90, 1e30F, -1e30F, 0.5F};
  for (const float x : values) {
    std::vector<float> many(29, x);
    for (std::size_t i = 0; i < beside.size(); ++i) many[4 * i + 1] = beside[i];
    const float alone =
        unary(Unary::exp, Array::from(std::vector<float>(29, x))).to_vector<float>()[0];
    const std::vector<float> found = unary(Unary::exp, Array::from(many)).to_vector<float>();
    for (const std::size_t i : {0, 2, 4, 15, 27, 28}) ASSERT_EQ(found[i], alone) << x;
    ASSERT_LE(steps_between(alone, static_cast<float>(std::exp(double{x}))), 1) << x;
  }
}

TYPED_TEST(Accuracy, ExtremesHandNaNOn) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const Array x = Array::from(std::vector<T>{nan, 1, 2, nan, -0.0});
  const Array y = Array::from(std::vector<T>{1, nan, 3, nan, 0});
  for (const Binary op : {Binary::maximum, Binary::minimum}) {
    const auto out = binary(op, x, y).template to_vector<T>();
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]) && std::isnan(out[3]));
    EXPECT_EQ(out[2], op == Binary::maximum ? 3 : 2);
    EXPECT_EQ(out[4], 0);
  }
}

// Every length around the width of a vector, every stride, against plain arithmetic.
TYPED_TEST(Accuracy, AnyLengthAndStride) {
  using T = TypeParam;
  Generator generator(5);
  for (Index n = 0; n < 70; ++n) {
    for (Index step = 1; step <= 3; ++step) {
      const Array x =
          generator.normal({n * step + 1}, 0, 1, dtype_of<T>).slice(0, 1, n * step + 1, step);
      const Array y = generator.normal({n}, 0, 1, dtype_of<T>);
      const auto a = x.template to_vector<T>(), b = y.template to_vector<T>();
      const auto sum = binary(Binary::add, x, y).template to_vector<T>();
      const auto turned = binary(Binary::sub, y, x).template to_vector<T>();
      const auto scaled =
          binary(Binary::mul, x, Array::full({}, 3, dtype_of<T>)).template to_vector<T>();
      const auto squared = unary(Unary::square, x).template to_vector<T>();
      Array into = y.clone();
      add_into(into, x);
      EXPECT_EQ(into.template to_vector<T>(), sum);
      ASSERT_EQ(sum.size(), static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < sum.size(); ++i) {
        ASSERT_EQ(sum[i], a[i] + b[i]);
        ASSERT_EQ(turned[i], b[i] - a[i]);
        ASSERT_EQ(scaled[i], a[i] * 3);
        ASSERT_EQ(squared[i], a[i] * a[i]);
      }
    }
  }
}

TEST(Elementwise, BesideASizeOfNothingAnySizeMayStand) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  for (const Shape& shape : {Shape{0, kMost, 5}, Shape{kMost, 5, 0}, Shape{3, 0, kMost, kMost}}) {
    EXPECT_EQ(unary(Unary::exp, Array::zeros(shape, DType::f32)).shape(), shape);
    EXPECT_EQ(
        binary(Binary::add, Array::zeros(shape, DType::f32), Array::zeros({1}, DType::f32)).shape(),
        shape);
  }
}

TEST(Elementwise, ComparesEveryDType) {
  const Array x = Array::from(std::vector<double>{1, 2, 3, NAN}),
              y = Array::from(std::vector<double>{2, 2, 2, NAN});
  using B = std::vector<bool>;
  EXPECT_EQ(compare(Compare::eq, x, y).to_vector<bool>(), (B{false, true, false, false}));
  EXPECT_EQ(compare(Compare::ne, x, y).to_vector<bool>(), (B{true, false, true, true}));
  EXPECT_EQ(compare(Compare::lt, x, y).to_vector<bool>(), (B{true, false, false, false}));
  EXPECT_EQ(compare(Compare::le, x, y).to_vector<bool>(), (B{true, true, false, false}));
  EXPECT_EQ(compare(Compare::gt, x, y).to_vector<bool>(), (B{false, false, true, false}));
  EXPECT_EQ(compare(Compare::ge, x, y).to_vector<bool>(), (B{false, true, true, false}));
  const Array i = Array::from(std::vector<std::int64_t>{INT64_MAX, INT64_MAX - 1});
  EXPECT_EQ(
      compare(Compare::eq, i, Array::from(std::vector<std::int64_t>{INT64_MAX})).to_vector<bool>(),
      (B{true, false}));
  const Array p = Array::from(B{true, false, true}), q = Array::from(B{true, true, false});
  EXPECT_EQ(logical_and(p, q).to_vector<bool>(), (B{true, false, false}));
  EXPECT_EQ(logical_not(p).to_vector<bool>(), (B{false, true, false}));
  EXPECT_ERROR(DTypeError,
               "compare: dtypes differ: x is f64[4], y is i64[2]: convert one, to(y, DType::f64)",
               compare(Compare::eq, x, i));
  EXPECT_ERROR(DTypeError, "logical_not: takes bool, not f64[4]", logical_not(x));
  EXPECT_THROW(compare(Compare::lt, x, y.slice(0, 0, 3)), ShapeError);
}

TEST(Elementwise, WritesInPlace) {
  Array x = Array::zeros({3, 5}, DType::f32);
  Array column = x.select(1, 2);
  add_into(column, Array::full({3}, 2, DType::f32));
  binary_into(Binary::mul, column, Array::full({}, 1.5, DType::f32));
  EXPECT_EQ(x.version(), 2U);
  const auto values = x.to_vector<float>();
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(values[i], i % 5 == 2 ? 3 : 0);
  EXPECT_ERROR(ShapeError, "add_into: f32[3] into f32[3, 5]", add_into(x, column));
  EXPECT_ERROR(DTypeError,
               "add_into: dtypes differ: x is f32[3, 5], y is f64[3, 5]: convert one, to(x, "
               "DType::f64)",
               add_into(x, Array::zeros({3, 5}, DType::f64)));
}

// Special numbers go lane by lane, so that each stands once among usual ones and once alone.
TYPED_TEST(Accuracy, Powers) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       -T{0},
                       1,
                       -1,
                       2,
                       -2,
                       T(0.5),
                       T(-0.5),
                       3,
                       T(3.3),
                       T(-3.3),
                       -7,
                       T(1e10),
                       T(-1e-10),
                       Limits::denorm_min(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN()};
  std::vector<T> bases, powers;
  for (const T base : special) {
    for (const T power : special) {
      bases.insert(bases.end(), 64, base);
      powers.insert(powers.end(), 64, power);
      bases.insert(bases.end(), {T(1.5), T(-2.5), base});
      powers.insert(powers.end(), {T(2.5), T(3), power});
    }
  }
  Generator generator(11);
  for (int i = 0; i < 20000; ++i) {
    bases.push_back(static_cast<T>(std::exp(generator.normal({}, 0, 9, DType::f64).item())));
    powers.push_back(static_cast<T>(generator.normal({}, 0, 3, DType::f64).item()));
  }
  const auto found =
      binary(Binary::pow, Array::from(bases), Array::from(powers)).template to_vector<T>();
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const T expected = static_cast<T>(
        std::pow(static_cast<long double>(bases[i]), static_cast<long double>(powers[i])));
    ASSERT_LE(steps_between(found[i], expected), 1) << bases[i] << " ^ " << powers[i];
  }
}

// The last vector of a run reaches back over lanes that the loop has written, which may be an operand.
TEST(Elementwise, RunsOfAnyLengthInPlaceAndBesideOneNumber) {
  under_every_simd([] {
    Generator generator(17);
    for (const Index n :
         {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 23, 29, 31, 32, 33, 61, 67}) {
      const Array x = generator.normal({3, n}, 0, 1, DType::f64);
      const Array y = generator.normal({n}, 0, 1, DType::f64);
      const Array one = generator.normal({3, 1}, 0, 1, DType::f64);
      const auto a = x.to_vector<double>(), b = y.to_vector<double>(), c = one.to_vector<double>();
      Array to = x.clone();
      add_into(to, x);
      const auto twice = to.to_vector<double>();
      const auto rows = binary(Binary::sub, x, y).to_vector<double>();
      const auto left = binary(Binary::sub, one, x).to_vector<double>();
      const auto right = binary(Binary::sub, x, one).to_vector<double>();
      const auto single = binary(Binary::sub, one, one.expand({3, 1})).to_vector<double>();
      const auto less = unary(Unary::neg, x).to_vector<double>();
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(n),
                          at = i % static_cast<std::size_t>(n);
        ASSERT_EQ(twice[i], a[i] + a[i]) << n;
        ASSERT_EQ(rows[i], a[i] - b[at]) << n;
        ASSERT_EQ(left[i], c[row] - a[i]) << n;
        ASSERT_EQ(right[i], a[i] - c[row]) << n;
        ASSERT_EQ(less[i], -a[i]) << n;
        ASSERT_EQ(single[row], 0) << n;
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels
