// A function of strips is the function of arrays: each operator and comparison, of strips, of
// numbers, and of both, in every length around that of a vector.
#include "../../../../core/kernels/attention/strip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

template <class T>
class StripOf : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(StripOf, Numbers);

template <class T>
Strip<T> drawn(Index n, std::uint64_t seed, double low = -2, double high = 2) {
  const auto values = Generator(seed).uniform({n}, low, high, dtype_of<T>).template to_vector<T>();
  Strip<T> out(n);
  std::copy_n(values.begin(), n, out.x);
  return out;
}

template <class T>
Array array_of(const Strip<T>& x) {
  return Array::from(std::vector<T>(x.x, x.x + x.n));
}

template <class T>
void expect_like(const Strip<T>& found, const Array& expected, bool exact, const char* what) {
  ASSERT_EQ(found.n, expected.numel()) << what;
  const auto values = expected.template to_vector<T>();
  for (Index i = 0; i < found.n; ++i) {
    const T value = values[static_cast<std::size_t>(i)];
    const double room = exact ? 0 : (sizeof(T) == 4 ? 1e-6 : 1e-14) * (1 + std::fabs(value));
    ASSERT_NEAR(found.at(i), value, room) << what << " " << i << " of " << found.n;
  }
}

constexpr Index kLengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 40, 255, 256};

TYPED_TEST(StripOf, FunctionsAreThoseOfArrays) {
  using T = TypeParam;
  under_every_simd([] {
    for (const Index n : kLengths) {
      const Strip<T> x = drawn<T>(n, 3, 0.2, 3);
      const Array a = array_of(x);
#define EXPECT_LIKE(name, exact) expect_like(name(x), unary(Unary::name, a), exact, #name)
      EXPECT_LIKE(abs, true);
      EXPECT_LIKE(sign, true);
      EXPECT_LIKE(exp, true);
      EXPECT_LIKE(expm1, true);
      EXPECT_LIKE(log, true);
      EXPECT_LIKE(log1p, true);
      EXPECT_LIKE(sqrt, true);
      EXPECT_LIKE(rsqrt, true);
      EXPECT_LIKE(sin, true);
      EXPECT_LIKE(cos, true);
      EXPECT_LIKE(erf, true);
      EXPECT_LIKE(square, true);
      EXPECT_LIKE(reciprocal, true);
      EXPECT_LIKE(tanh, false);
      EXPECT_LIKE(sigmoid, true);
      EXPECT_LIKE(relu, true);
#undef EXPECT_LIKE
      expect_like(-x, unary(Unary::neg, a), true, "neg");
      Strip<T> to = x;
      unary_into(Unary::exp, to, to);
      expect_like(to, unary(Unary::exp, a), true, "exp in its own place");
    }
  });
}

TYPED_TEST(StripOf, OperatorsTakeStripsAndNumbers) {
  using T = TypeParam;
  const Array number = Array::full({}, 1.5, dtype_of<T>);
  for (const Index n : kLengths) {
    const Strip<T> x = drawn<T>(n, 5, 0.2, 3), y = drawn<T>(n, 7, 0.2, 3), one = drawn<T>(1, 9);
    const Array a = array_of(x), b = array_of(y);
    const auto expect_all = [&](Binary op, const auto& f) {
      expect_like(f(x, y), binary(op, a, b), true, name(op));
      expect_like(f(x, 1.5), binary(op, a, number), true, name(op));
      expect_like(f(1.5, y), binary(op, number, b), true, name(op));
      expect_like(f(x, one), binary(op, a, array_of(one)), true, name(op));
      expect_like(f(one, y), binary(op, array_of(one), b), true, name(op));
      Strip<T> to = x;
      binary_into(op, to, y, to);
      expect_like(to, binary(op, a, b), true, "in its own place");
    };
    expect_all(Binary::add, [](const auto& p, const auto& q) { return p + q; });
    expect_all(Binary::sub, [](const auto& p, const auto& q) { return p - q; });
    expect_all(Binary::mul, [](const auto& p, const auto& q) { return p * q; });
    expect_all(Binary::div, [](const auto& p, const auto& q) { return p / q; });
    expect_all(Binary::maximum, [](const auto& p, const auto& q) { return maximum(p, q); });
    expect_all(Binary::minimum, [](const auto& p, const auto& q) { return minimum(p, q); });
    if (n > 1) continue;  // powers of a number that all share are worked out otherwise
    expect_like(pow(x, y), binary(Binary::pow, a, b), true, "pow");
  }
}

TYPED_TEST(StripOf, ComparesAndChooses) {
  using T = TypeParam;
  for (const Index n : kLengths) {
    Strip<T> x = drawn<T>(n, 11), y = drawn<T>(n, 13);
    y.x[n / 2] = x.x[n / 2];
    const auto expect_all = [&](const auto& holds) {
      const StripMask both = holds(x, y), right = holds(x, 0.25), left = holds(0.25, y);
      ASSERT_EQ(both.n, n);
      ASSERT_EQ(right.n, n);
      for (Index i = 0; i < n; ++i) {
        ASSERT_EQ(both.at(i), holds(x.at(i), y.at(i))) << i << " of " << n;
        ASSERT_EQ(right.at(i), holds(x.at(i), T{0.25}));
        ASSERT_EQ(left.at(i), holds(T{0.25}, y.at(i)));
      }
    };
    expect_all([](const auto& p, const auto& q) { return p == q; });
    expect_all([](const auto& p, const auto& q) { return p != q; });
    expect_all([](const auto& p, const auto& q) { return p < q; });
    expect_all([](const auto& p, const auto& q) { return p <= q; });
    expect_all([](const auto& p, const auto& q) { return p > q; });
    expect_all([](const auto& p, const auto& q) { return p >= q; });
    const StripMask first = x<y, second = x> 0.5, whole = drawn<T>(1, 17) < 5;
    const StripMask either = logical_or(first, second), both = logical_and(first, second);
    const StripMask none = logical_not(first), all = logical_and(whole, first);
    const Strip<T> chosen = where(first, x, y), right = where(first, x, 9),
                   left = where(first, 9, y);
    const Strip<T> known = where(whole, x, y), other = where(logical_not(whole), x, y);
    ASSERT_EQ(chosen.n, n);
    ASSERT_EQ(all.n, n);
    for (Index i = 0; i < n; ++i) {
      ASSERT_EQ(either.at(i), first.at(i) || second.at(i));
      ASSERT_EQ(both.at(i), first.at(i) && second.at(i));
      ASSERT_EQ(none.at(i), !first.at(i));
      ASSERT_EQ(all.at(i), first.at(i));
      ASSERT_EQ(chosen.at(i), first.at(i) ? x.at(i) : y.at(i));
      ASSERT_EQ(right.at(i), first.at(i) ? x.at(i) : T{9});
      ASSERT_EQ(left.at(i), first.at(i) ? T{9} : y.at(i));
      ASSERT_EQ(known.at(i), x.at(i));
      ASSERT_EQ(other.at(i), y.at(i));
    }
  }
}

TYPED_TEST(StripOf, OneNumberStandsForAll) {
  using T = TypeParam;
  const Strip<T> number = Strip<T>::of(2.5), x = drawn<T>(7, 3);
  EXPECT_EQ(number.n, 1);
  EXPECT_EQ(number.at(0), T{2.5});
  EXPECT_EQ(number.at(6), T{2.5});
  EXPECT_EQ(Strip<T>(3).x[0], T{0});
  Strip<T> to(1);
  to = x;
  ASSERT_EQ(to.n, 7);
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(to.at(i), x.at(i));
  EXPECT_NE(x.at(6), x.at(0));
}

}  // namespace
}  // namespace heed::kernels
