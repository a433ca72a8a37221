// Arithmetic and reductions of integers and bools, and searches, as in PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "../../autograd/methods.h"
#include "../../autograd/ops/index/search.h"
#include "../../autograd/ops/shape/pad.h"
#include "../../autograd/other_words.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Integers = std::vector<std::int64_t>;

Integers whole(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }

TEST(IntegerTensors, AddSubtractAndMultiply) {
  const Tensor a = tensor({{1, -2, 3}, {4, 5, -6}});
  const Tensor b = tensor({7, 0, -1});
  EXPECT_EQ(whole(a + b), (Integers{8, -2, 2, 11, 5, -7}));
  EXPECT_EQ(whole(a - b), (Integers{-6, -2, 4, -3, 5, -5}));
  EXPECT_EQ(whole(a.t() * 2), (Integers{2, 8, -4, 10, 6, -12}));
  EXPECT_EQ(whole(-a), (Integers{-1, 2, -3, -4, -5, 6}));
  EXPECT_EQ(whole(abs(a)), (Integers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(whole(sign(a)), (Integers{1, -1, 1, 1, 1, -1}));
  EXPECT_EQ(whole(square(b)), (Integers{49, 0, 1}));
  EXPECT_EQ(whole(maximum(a[0], b)), (Integers{7, 0, 3}));
  EXPECT_EQ(whole(min(a[0], b)), (Integers{1, -2, -1}));
  EXPECT_EQ(whole(b % 2), (Integers{1, 0, 1}));
  EXPECT_EQ(whole(remainder(b, -4)), (Integers{-1, 0, -1}));
  EXPECT_EQ(whole(floor(b)), whole(b));
}

TEST(IntegerTensors, WrapAroundAsMachinesDo) {
  const Tensor most = tensor(INT64_MAX);
  EXPECT_EQ((most + 1).item<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(whole(most * 1), Integers{INT64_MAX});
  EXPECT_EQ(whole(-tensor(INT64_MIN)), Integers{INT64_MIN});
  EXPECT_EQ(whole(tensor(INT64_MIN) % -1), Integers{0});
  EXPECT_EQ(whole(tensor(5) % 0), Integers{0});
}

TEST(IntegerTensors, GiveTheirOnlyElementExactly) {
  EXPECT_EQ(tensor(INT64_MAX).item<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(tensor((std::int64_t{1} << 53) + 1).item<std::int64_t>(), (std::int64_t{1} << 53) + 1);
  EXPECT_EQ(tensor({2.75}).item<int>(), 2);
  EXPECT_THROW(arange(2).item<int>(), ShapeError);
}

// No double has 2^53 + 1: what went through one would be equal to 2^53.
TEST(IntegerTensors, KeepAllDigitsOfANumberBesideThem) {
  constexpr std::int64_t kEven = std::int64_t{1} << 53, kPast = kEven + 1;
  const Tensor x = tensor({kEven, kPast, kPast + 1});
  using Truths = std::vector<bool>;
  EXPECT_EQ((x == kPast).to_vector<bool>(), (Truths{false, true, false}));
  EXPECT_EQ((x != kPast).to_vector<bool>(), (Truths{true, false, true}));
  EXPECT_EQ((x < kPast).to_vector<bool>(), (Truths{true, false, false}));
  EXPECT_EQ((x <= kPast).to_vector<bool>(), (Truths{true, true, false}));
  EXPECT_EQ((x > kPast).to_vector<bool>(), (Truths{false, false, true}));
  EXPECT_EQ((x >= kPast).to_vector<bool>(), (Truths{false, true, true}));
  EXPECT_EQ((kPast < x).to_vector<bool>(), (Truths{false, false, true}));
  EXPECT_EQ((kPast >= x).to_vector<bool>(), (Truths{true, true, false}));
  EXPECT_EQ(x.eq(kPast).to_vector<bool>(), (Truths{false, true, false}));
  EXPECT_EQ((x == static_cast<double>(kEven)).to_vector<bool>(), (Truths{true, false, false}));
  EXPECT_EQ((x < 2.5).to_vector<bool>(), (Truths{false, false, false}));
  EXPECT_TRUE((tensor({INT64_MAX}) == INT64_MAX).item<bool>());
  EXPECT_FALSE((tensor({INT64_MIN}) == std::uint64_t{1} << 63).item<bool>());
  EXPECT_TRUE((tensor({1}) < UINT64_MAX).item<bool>());
  EXPECT_TRUE((tensor({true}) == true).item<bool>());

  const auto one = [] { return tensor({1}); };
  EXPECT_EQ(whole(add_(one(), kPast)), Integers{kPast + 1});
  EXPECT_EQ(whole(sub_(one(), kPast)), Integers{1 - kPast});
  EXPECT_EQ(whole(mul_(one(), kPast)), Integers{kPast});
  EXPECT_EQ(whole(fill_(one(), kPast)), Integers{kPast});
  Tensor y = one();
  y += kPast;
  EXPECT_EQ(whole(y), Integers{kPast + 1});
  y -= kPast;
  y *= kPast;
  EXPECT_EQ(whole(y), Integers{kPast});
  y[0] = kPast + 2;
  EXPECT_EQ(whole(y), Integers{kPast + 2});
  EXPECT_EQ(whole(masked_fill(x, x == kPast, kPast + 4)), (Integers{kEven, kPast + 4, kPast + 1}));
  EXPECT_EQ(whole(where(x == kPast, x, kPast)), (Integers{kPast, kPast, kPast}));
  EXPECT_EQ(whole(where(x == kPast, kPast + 4, x)), (Integers{kEven, kPast + 4, kPast + 1}));
  EXPECT_EQ(whole(masked_fill_(x, x > kPast, kPast)), (Integers{kEven, kPast, kPast}));
  EXPECT_EQ(whole(masked_fill_(x, x > 0, 2.9)), (Integers{2, 2, 2}));
}

TEST(IntegerTensors, StayIntegersBesideAFactor) {
  constexpr std::int64_t kPast = (std::int64_t{1} << 53) + 1;
  const Tensor x = tensor({7, 11, 13}), y = tensor({1, 2, 3});
  EXPECT_EQ(whole(x.add(y, 2)), (Integers{9, 15, 19}));
  EXPECT_EQ(whole(x.sub(y, 2)), (Integers{5, 7, 7}));
  EXPECT_EQ(whole(add(x, y, kPast)), (Integers{kPast + 7, 2 * kPast + 11, 3 * kPast + 13}));
  EXPECT_EQ(whole(sub(x, y, 2)), whole(x.sub(y, 2)));
  EXPECT_EQ(whole(addcmul(x, y, y, 2)), (Integers{9, 19, 31}));
  EXPECT_EQ(whole(x.clone().add_(y, kPast)), whole(add(x, y, kPast)));
  EXPECT_EQ(whole(x.clone().sub_(y, 2)), whole(x.sub(y, 2)));
  EXPECT_EQ(whole(x.clone().addcmul_(y, y, 2)), (Integers{9, 19, 31}));
  EXPECT_THROW(x.clone().add_(y, 0.5), DTypeError);
}

TEST(IntegerTensors, RefuseIntegersBeyond64Bits) {
  const Tensor x = tensor({7, 11, 13});
  EXPECT_ERROR(ValueError, "full: 18446744073709551615 is beyond i64", full({1}, UINT64_MAX));
  EXPECT_ERROR(ValueError, "full: 9223372036854775808 is beyond i64",
               full({1}, std::uint64_t{1} << 63, DType::i64));
  EXPECT_ERROR(ValueError, "fill_: 18446744073709551615 is beyond i64", fill_(x, UINT64_MAX));
  EXPECT_ERROR(ValueError, "tensor: 18446744073709551615 is beyond i64", tensor({1, UINT64_MAX}));
  EXPECT_THROW(x + UINT64_MAX, ValueError);
  EXPECT_THROW(where(x > 8, x, UINT64_MAX), ValueError);
  EXPECT_EQ(whole(x), (Integers{7, 11, 13}));
  EXPECT_EQ(full({1}, UINT64_MAX, DType::f64).item(), 0x1p64);
  EXPECT_EQ((zeros({1}, DType::f64) + UINT64_MAX).item(), 0x1p64);
  EXPECT_EQ(whole(full({1}, INT64_MIN)), Integers{INT64_MIN});
}

TEST(IntegerTensors, BecomeFloatsByDivisionAndByAPoint) {
  const Tensor a = arange(3);
  EXPECT_EQ((a / 2).dtype(), DType::f32);
  EXPECT_EQ((a / 2).to_vector<float>(), (std::vector<float>{0, 0.5, 1}));
  EXPECT_EQ((a * 0.5).to_vector<float>(), (std::vector<float>{0, 0.5, 1}));
  EXPECT_EQ((1 - a).dtype(), DType::i64);
  EXPECT_EQ((a > 0).dtype(), DType::boolean);
  EXPECT_EQ(((a > 0) + 1).dtype(), DType::i64);
  EXPECT_EQ(((a > 0) * 0.5).dtype(), DType::f32);
}

TEST(IntegerTensors, KeepWhatANumberBesideThemIs) {
  const Tensor a = tensor({3, 4, 5}), yes = tensor({true, false, true});
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  EXPECT_EQ(where(yes, 1.5, a).to_vector<float>(), (std::vector<float>{1.5, 4, 1.5}));
  EXPECT_EQ(where(yes, a, 0.5).to_vector<float>(), (std::vector<float>{3, 0.5, 5}));
  EXPECT_EQ(whole(where(yes, big, a)), (Integers{big, 4, big}));
  EXPECT_EQ(whole(where(yes, a, big)), (Integers{3, big, 5}));
  EXPECT_EQ(whole(where(yes, yes, 2)), (Integers{1, 2, 1}));
  EXPECT_EQ(where(yes, true, yes).dtype(), DType::boolean);
  EXPECT_EQ(maximum(a, 3.5).to_vector<float>(), (std::vector<float>{3.5, 4, 5}));
  EXPECT_EQ(minimum(a, 3.5).to_vector<float>(), (std::vector<float>{3, 3.5, 3.5}));
  EXPECT_EQ(whole(maximum(a, big)), (Integers{big, big, big}));
  EXPECT_EQ((a % 2.5).to_vector<float>(), (std::vector<float>{0.5, 1.5, 0}));
  EXPECT_EQ(whole(pad(a, {1, 1}, PadMode::constant, big)), (Integers{big, 3, 4, 5, big}));
  EXPECT_EQ(whole(pad(a, {0, 1}, big)), (Integers{3, 4, 5, big}));
  EXPECT_EQ(whole(nansum(a)), Integers{12});
}

TEST(IntegerTensors, CountBySums) {
  const Tensor x = tensor({{1, 2, 3}, {1, 5, 3}});
  const Tensor y = tensor({1, 2, 4});
  const Tensor hits = sum(x == y);
  EXPECT_EQ(hits.dtype(), DType::i64);
  EXPECT_EQ(hits.item(), 3);
  EXPECT_EQ(whole(x.sum(0)), (Integers{2, 7, 6}));
  EXPECT_EQ(whole(x.prod(1, true)), (Integers{6, 15}));
  EXPECT_EQ(whole(x.amax(1)), (Integers{3, 5}));
  EXPECT_EQ(whole(x.min(0).values), (Integers{1, 2, 3}));
  EXPECT_EQ(whole(x.argmax(1)), (Integers{2, 1}));
  EXPECT_EQ(whole(sum(zeros({0, 2}, DType::i64), 0)), (Integers{0, 0}));
  EXPECT_THROW(amax(zeros({0}, DType::i64)), ShapeError);
  EXPECT_EQ(whole(count_nonzero(x - 1)), Integers{4});
  EXPECT_TRUE((x > 4).max());
}

TEST(IntegerTensors, HaveNoMeanOfTheirOwn) {
  EXPECT_ERROR(DTypeError,
               "mean: takes f32 or f64, not i64: convert first, mean(to(x, DType::f32))",
               mean(arange(3)));
}

TEST(IntegerTensors, BoolsAddAsOrAndMultiplyAsAnd) {
  const Tensor a = tensor({true, true, false, false});
  const Tensor b = tensor({true, false, true, false});
  EXPECT_EQ((a + b).to_vector<bool>(), (a | b).to_vector<bool>());
  EXPECT_EQ((a * b).to_vector<bool>(), (a & b).to_vector<bool>());
  EXPECT_THROW(a - b, DTypeError);
}

TEST(IntegerTensors, AreWrittenInPlace) {
  Tensor x = arange(4);
  x += 2;
  x *= arange(4);
  x[0] = 9;
  EXPECT_EQ(whole(x), (Integers{9, 3, 8, 15}));
  EXPECT_THROW(x += 0.5, DTypeError);
  EXPECT_THROW(x /= 2, DTypeError);
}

TEST(Search, FindsTheDifferentValues) {
  const Tensor x = tensor({{3, 1, 3}, {2, 1, 3}});
  const auto [values, inverse, counts] = unique_with_counts(x);
  EXPECT_EQ(whole(values), (Integers{1, 2, 3}));
  EXPECT_EQ(whole(inverse), (Integers{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(whole(counts), (Integers{2, 1, 3}));
  EXPECT_EQ(unique(zeros({0})).numel(), 0);
  EXPECT_EQ(whole(bincount(tensor({1, 4, 1}))), (Integers{0, 2, 0, 0, 1}));
  EXPECT_EQ(whole(bincount(tensor({1}), 3)), (Integers{0, 1, 0}));
  EXPECT_THROW(bincount(tensor({-1})), ValueError);
  EXPECT_THROW(bincount(zeros({2})), DTypeError);
}

TEST(Search, FindsBuckets) {
  const Tensor bounds = tensor({1.0, 3.0, 5.0});
  const Tensor x = tensor({{0.0, 1.0}, {4.0, 9.0}});
  EXPECT_EQ(whole(bucketize(x, bounds)), (Integers{0, 0, 2, 3}));
  EXPECT_EQ(whole(bucketize(x, bounds, true)), (Integers{0, 1, 2, 3}));
  EXPECT_EQ(whole(searchsorted(bounds, x)), whole(bucketize(x, bounds)));
  EXPECT_THROW(bucketize(x, arange(3)), DTypeError);
  EXPECT_THROW(bucketize(x, x), ShapeError);
}

TEST(IntegerTensors, BoolsTakeNoNumberInPlace) {
  Tensor x = tensor({true, false, true});
  EXPECT_ERROR(DTypeError,
               "add_: bool[3] and 1, which is no bool: convert x first, to(x, DType::i64)", x += 1);
  EXPECT_ERROR(DTypeError,
               "mul_: bool[3] and 0, which is no bool: convert x first, to(x, DType::i64)", x *= 0);
  EXPECT_THROW(mul_(x, 2.0), DTypeError);
  EXPECT_THROW(x -= 1, DTypeError);
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{true, false, true}));
  x *= true;
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{true, false, true}));
  x += true;
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{true, true, true}));
}

TEST(IntegerTensors, AreSummedUpHeldAndRaised) {
  const Tensor x = tensor({{1, -2, 3}, {4, 5, -6}});
  EXPECT_EQ(whole(cumsum(x, 1)), (Integers{1, -1, 2, 4, 9, 3}));
  EXPECT_EQ(whole(x.t().cumsum(1)), (Integers{1, 5, -2, 3, 3, -3}));
  EXPECT_EQ(whole(cumsum(tensor({true, false, true}), 0)), (Integers{1, 1, 2}));
  const std::int64_t most = INT64_MAX;
  EXPECT_EQ(whole(cumsum(tensor(Integers{most - 1, 1, 1}), 0)),
            (Integers{most - 1, most, INT64_MIN}));
  EXPECT_EQ(whole(clamp(x, -1, 4)), (Integers{1, -1, 3, 4, 4, -1}));
  EXPECT_EQ(whole(clamp(x, {}, 2)), (Integers{1, -2, 2, 2, 2, -6}));
  EXPECT_EQ(clamp(x, -0.5).to_vector<float>(), (std::vector<float>{1, -0.5, 3, 4, 5, -0.5}));
  EXPECT_EQ(whole(clamp(x, tensor({2, 0, 0}), tensor({3, 4, -1}))), (Integers{2, 0, -1, 3, 4, -1}));
  EXPECT_EQ(whole(x.clone().clamp_(0, 3)), (Integers{1, 0, 3, 3, 3, 0}));
  EXPECT_EQ(whole(pow(x, 3)), (Integers{1, -8, 27, 64, 125, -216}));
  EXPECT_EQ(whole(pow(x, 0)), Integers(6, 1));
  std::uint64_t wrapped = 1;
  for (int i = 0; i < 39; ++i) wrapped *= 7;
  EXPECT_EQ(whole(tensor({3, 7}).pow(39)),
            (Integers{4052555153018976267, static_cast<std::int64_t>(wrapped)}));
}

TEST(IntegerTensors, AreFilledWithWhatTheyHold) {
  Tensor x = tensor({3, 5, 7});
  const Tensor mask = tensor({true, false, true});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e20, 0x1p63}) {
    EXPECT_ERROR_WITH(ValueError, "is beyond i64", masked_fill(x, mask, value));
    EXPECT_ERROR_WITH(ValueError, "is beyond i64", masked_fill_(x, mask, value));
    EXPECT_ERROR_WITH(ValueError, "is beyond i64", fill_(x, value));
  }
  EXPECT_ERROR(ValueError, "masked_fill: inf is beyond i64", masked_fill(x, mask, inf));
  EXPECT_ERROR(ValueError, "masked_fill_: 1e+20 is beyond i64", masked_fill_(x, mask, 1e20));
  EXPECT_ERROR(ValueError, "masked_fill_: 18446744073709551615 is beyond i64",
               masked_fill_(x, mask, UINT64_MAX));
  EXPECT_EQ(whole(x), (Integers{3, 5, 7}));
  EXPECT_EQ(whole(masked_fill(x, mask, -0x1p63)), (Integers{INT64_MIN, 5, INT64_MIN}));
  EXPECT_EQ(masked_fill(zeros({3}), mask, inf).to_vector<float>()[0],
            std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace heed
