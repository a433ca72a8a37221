// What a rule's operators give while it is traced, against the places' own.
#include "../../../attention/masks/followed.h"

#include <gtest/gtest.h>

#include "../../../attention/masks/interval.h"

namespace heed::attention {
namespace {

constexpr Index kLeast = -7, kCount = 15;

Index quotient(Index a, Index b) {
  if (b == 0) return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);  // rounded down
}

// Each two of some places: a down the rows, b along them.
const FollowedPlaces& a() {
  static const FollowedPlaces places(Tensor(Array::from(
      [] {
        std::vector<Index> out;
        for (Index i = 0; i < kCount; ++i) out.push_back(kLeast + i);
        return out;
      }(),
      Shape{kCount, 1})));
  return places;
}
const FollowedPlaces& b() {
  static const FollowedPlaces places(Tensor(a().value.array().reshape(Shape{kCount})));
  return places;
}

template <class Plain>
void expect_numbers(const char* what, const FollowedPlaces& got, const Plain& plain) {
  const Tensor& value = got.value;
  ASSERT_EQ(value.dtype(), DType::i64) << what;
  const auto numbers = value.array().expand(Shape{kCount, kCount}).to_vector<Index>();
  for (Index i = 0; i < kCount * kCount; ++i) {
    const Index x = kLeast + i / kCount, y = kLeast + i % kCount;
    EXPECT_EQ(numbers[static_cast<std::size_t>(i)], plain(x, y)) << what << ' ' << x << ' ' << y;
  }
}

template <class Plain>
void expect_truths(const char* what, const FollowedTruths& got, const Plain& plain) {
  const Tensor& value = got.value;
  ASSERT_EQ(value.dtype(), DType::boolean) << what;
  const auto truths = value.array().expand(Shape{kCount, kCount}).to_vector<bool>();
  for (Index i = 0; i < kCount * kCount; ++i) {
    const Index x = kLeast + i / kCount, y = kLeast + i % kCount;
    EXPECT_EQ(truths[static_cast<std::size_t>(i)], plain(x, y)) << what << ' ' << x << ' ' << y;
  }
}

TEST(Followed, PlacesAreReckonedWithAsEver) {
  expect_numbers("+", a() + b(), [](Index x, Index y) { return x + y; });
  expect_numbers("-", a() - b(), [](Index x, Index y) { return x - y; });
  expect_numbers("*", a() * b(), [](Index x, Index y) { return x * y; });
  expect_numbers("/", a() / b(), quotient);
  expect_numbers("%", a() % b(), [](Index x, Index y) { return x - quotient(x, y) * y; });
  expect_numbers("/ 3", a() / 3, [](Index x, Index) { return quotient(x, 3); });
  expect_numbers("negative", -a(), [](Index x, Index) { return -x; });
  expect_numbers("abs", abs(a()), [](Index x, Index) { return x < 0 ? -x : x; });
  expect_numbers("min", min(a(), b()), [](Index x, Index y) { return x < y ? x : y; });
  expect_numbers("max", max(a(), b()), [](Index x, Index y) { return x > y ? x : y; });
}

TEST(Followed, PlacesAreDividedAsPlacesAre) {
  expect_numbers("/", a() / b(), [](Index x, Index y) { return (Place(x) / Place(y)).value; });
  expect_numbers("%", a() % b(), [](Index x, Index y) { return (Place(x) % Place(y)).value; });
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
