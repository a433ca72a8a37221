// What a rule's operators give while it is traced, against the places' own.
#include "../../../attention/masks/followed.h"

#include <gtest/gtest.h>

#include "../../../attention/masks/interval.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {
namespace {

constexpr Index kLeast = -7, kCount = 15;

// Each two of some places: a down the rows, b along them.
FollowedPlaces a() { return FollowedPlaces(unsqueeze(arange(kCount) + kLeast, 1)); }
FollowedPlaces b() { return FollowedPlaces(arange(kCount) + kLeast); }

template <class Number, class Plain>
void expect_each(const char* what, const Tensor& value, const Plain& plain) {
  const std::vector<Number> got = value.array().expand(Shape{kCount, kCount}).to_vector<Number>();
  for (Index i = 0; i < kCount * kCount; ++i) {
    const Index x = kLeast + i / kCount, y = kLeast + i % kCount;
    EXPECT_EQ(got[static_cast<std::size_t>(i)], plain(x, y)) << what << ' ' << x << ' ' << y;
  }
}

template <class Plain>
void expect_numbers(const char* what, const FollowedPlaces& got, const Plain& plain) {
  expect_each<Index>(what, got.value, plain);
}

template <class Plain>
void expect_truths(const char* what, const FollowedTruths& got, const Plain& plain) {
  expect_each<bool>(what, got.value, plain);
}

TEST(Followed, PlacesAreReckonedWithAsEver) {
  expect_numbers("+", a() + b(), [](Index x, Index y) { return x + y; });
  expect_numbers("-", a() - b(), [](Index x, Index y) { return x - y; });
  expect_numbers("*", a() * b(), [](Index x, Index y) { return x * y; });
  expect_numbers("negative", -a(), [](Index x, Index) { return -x; });
  expect_numbers("abs", abs(a()), [](Index x, Index) { return x < 0 ? -x : x; });
  expect_numbers("min", min(a(), b()), [](Index x, Index y) { return x < y ? x : y; });
  expect_numbers("max", max(a(), b()), [](Index x, Index y) { return x > y ? x : y; });
}

// Rounded down, by 0 to 0: interval_test.cpp has Place's by number.
TEST(Followed, PlacesAreDividedAsPlacesAre) {
  expect_numbers("/", a() / b(), [](Index x, Index y) { return (Place(x) / Place(y)).value; });
  expect_numbers("%", a() % b(), [](Index x, Index y) { return (Place(x) % Place(y)).value; });
  expect_numbers("/ 3", a() / 3, [](Index x, Index) { return (Place(x) / Place(3)).value; });
  expect_numbers("/ 0", a() / 0, [](Index x, Index) { return (Place(x) / Place(0)).value; });
}

TEST(Followed, PlacesAreCompared) {
  expect_truths("==", a() == b(), [](Index x, Index y) { return x == y; });
  expect_truths("!=", a() != b(), [](Index x, Index y) { return x != y; });
  expect_truths("<", a() < b(), [](Index x, Index y) { return x < y; });
  expect_truths("<=", a() <= b(), [](Index x, Index y) { return x <= y; });
  expect_truths(">", a() > b(), [](Index x, Index y) { return x > y; });
  expect_truths(">=", a() >= b(), [](Index x, Index y) { return x >= y; });
}

TEST(Followed, TruthsAreCombined) {
  const FollowedTruths p = a() > 2, q = b() < 1;
  expect_truths("!", !p, [](Index x, Index) { return x <= 2; });
  expect_truths("&&", p && q, [](Index x, Index y) { return x > 2 && y < 1; });
  expect_truths("||", p || q, [](Index x, Index y) { return x > 2 || y < 1; });
  expect_truths("&", p & q, [](Index x, Index y) { return x > 2 && y < 1; });
  expect_truths("|", p | q, [](Index x, Index y) { return x > 2 || y < 1; });
  expect_truths("==", p == q, [](Index x, Index y) { return (x > 2) == (y < 1); });
  expect_truths("!=", p != q, [](Index x, Index y) { return (x > 2) != (y < 1); });
  expect_truths("true", p || true, [](Index, Index) { return true; });
  expect_truths("false", p && false, [](Index, Index) { return false; });
}

}  // namespace
}  // namespace heed::attention
