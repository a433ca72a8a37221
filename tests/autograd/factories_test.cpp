// What makes tensors: of numbers, ranges and draws.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Integers = std::vector<std::int64_t>;

Integers whole(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }

TEST(Factories, TakeTheDtypeOfTheirNumbers) {
  EXPECT_EQ(describe(tensor({1, 2, 3})), "i64[3]");
  EXPECT_EQ(describe(tensor({{1, 2}, {3, 4}, {5, 6}})), "i64[3, 2]");
  EXPECT_EQ(describe(tensor({{1.5, 2}, {3, 4}})), "f32[2, 2]");
  EXPECT_EQ(describe(tensor({true, false})), "bool[2]");
  EXPECT_EQ(describe(tensor({5})), "i64[1]");
  EXPECT_EQ(describe(tensor(5)), "i64[]");
  EXPECT_EQ(describe(tensor(5.0)), "f32[]");
  EXPECT_EQ(describe(tensor({1, 2}, DType::f64)), "f64[2]");
  EXPECT_EQ(describe(tensor({1, 2, 3, 4}, {2, 2})), "f32[2, 2]");
  EXPECT_EQ(describe(tensor(std::vector<int>{1, 2})), "i64[2]");
  EXPECT_EQ(describe(tensor({})), "f32[0]");
  EXPECT_EQ(describe(full({3}, 2)), "i64[3]");
  EXPECT_EQ(describe(full({3}, 2.0)), "f32[3]");
  EXPECT_EQ(describe(full({3}, true)), "bool[3]");
  EXPECT_EQ(describe(zeros(2, 3)), "f32[2, 3]");
  EXPECT_EQ(whole(tensor({INT64_MAX - 1})), Integers{INT64_MAX - 1});
  EXPECT_THROW(tensor({{1, 2}, {3}}), ShapeError);
  EXPECT_THROW(tensor({{1, 2}, 3}), ShapeError);
}

TEST(Factories, MakeRanges) {
  EXPECT_EQ(whole(arange(5)), (Integers{0, 1, 2, 3, 4}));
  EXPECT_EQ(whole(arange(2, 9, 3)), (Integers{2, 5, 8}));
  EXPECT_EQ(whole(arange(3, 0, -2)), (Integers{3, 1}));
  EXPECT_EQ(arange(0, 1, 0.25).to_vector<float>(), (std::vector<float>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(arange(0.5, 3.5, 1).to_vector<float>(), (std::vector<float>{0.5, 1.5, 2.5}));
  EXPECT_EQ(arange(1, 3, 0.5).to_vector<float>(), (std::vector<float>{1, 1.5, 2, 2.5}));
  constexpr std::int64_t kPast = (std::int64_t{1} << 53) + 1;  // no f64 has it
  EXPECT_EQ(whole(arange(kPast, kPast + 3, 2)), (Integers{kPast, kPast + 2}));
  EXPECT_EQ(whole(arange(kPast, kPast + 2)), (Integers{kPast, kPast + 1}));
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  EXPECT_EQ(whole(arange(kFar, kFar + 3)), (Integers{kFar, kFar + 1, kFar + 2}));
  EXPECT_EQ(whole(arange(INT64_MIN, INT64_MAX, kFar)), (Integers{INT64_MIN, -kFar, 0, kFar}));
  EXPECT_EQ(whole(arange(INT64_MAX, INT64_MIN, INT64_MIN)), (Integers{INT64_MAX, -1}));
  EXPECT_THROW(arange(INT64_MIN, INT64_MAX), ShapeError);
  EXPECT_EQ(describe(arange(3, DType::f64)), "f64[3]");
  EXPECT_EQ(arange(0).numel(), 0);
  EXPECT_THROW(arange(0, 5, 0), ValueError);
  EXPECT_THROW(arange(0, 5, -1), ValueError);
  EXPECT_EQ(linspace(0, 1, 5, DType::f64).to_vector<double>(),
            (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(linspace(3, 4, 1).item(), 3);
  EXPECT_EQ(eye(2, 3).to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(describe(zeros_like(eye(3, DType::f64))), "f64[3, 3]");
  EXPECT_EQ(whole(full_like(arange(2), 7)), (Integers{7, 7}));
}

TEST(Factories, SayWhereThereIsNoMemory) {
  constexpr Index kMany = Index{1} << 52;
  EXPECT_THROW(arange(kMany), OutOfMemory);
  EXPECT_THROW(arange(0, 4e15, 1.0), OutOfMemory);
  EXPECT_THROW(linspace(0, 1, kMany), OutOfMemory);
  EXPECT_THROW(randperm(kMany), OutOfMemory);
  EXPECT_THROW(randint(0, 3, {kMany}), OutOfMemory);
  EXPECT_THROW(linspace(0, 1, INT64_MAX), ShapeError);
}

TEST(Factories, Draw) {
  manual_seed(5);
  const Tensor x = randint(-3, 4, {1000});
  EXPECT_EQ(x.dtype(), DType::i64);
  EXPECT_EQ(x.min().item(), -3);
  EXPECT_EQ(x.max().item(), 3);
  EXPECT_EQ(whole(sort(randperm(7)).values), whole(arange(7)));
  EXPECT_THROW(randint(3, 3, {2}), ValueError);
  EXPECT_THROW(randperm(-1), ValueError);
  const Tensor coins = bernoulli(full({1000}, 0.25));
  EXPECT_NEAR(coins.mean().item(), 0.25, 0.06);
  EXPECT_THROW(bernoulli(full({2}, 1.5)), ValueError);
}

TEST(Factories, DrawFromTheEndsOfTheirRanges) {
  EXPECT_EQ(whole(randint(1, {3})), Integers(3, 0));
  EXPECT_EQ(whole(randint(7, 8, {3})), Integers(3, 7));
  EXPECT_EQ(randint(-1, INT64_MAX - 1, {3}).numel(), 3);
  EXPECT_ERROR(ValueError, "randint: no integers from 3 to below 3", randint(3, 3, {2}));
  EXPECT_ERROR(ValueError, "randint: no integers from 3 to below 2", randint(3, 2, {2}));
  EXPECT_ERROR(ValueError, "randint: no integers from -1 to below 9223372036854775807",
               randint(-1, INT64_MAX, {2}));
  EXPECT_EQ(randperm(0).numel(), 0);
  EXPECT_EQ(whole(randperm(1)), Integers{0});
  EXPECT_ERROR(ValueError, "randperm: count -1 is negative", randperm(-1));
  manual_seed(3);
  EXPECT_EQ(bernoulli(ones({97})).sum().item(), 97);
  EXPECT_EQ(bernoulli(zeros({97})).sum().item(), 0);
  EXPECT_EQ(bernoulli(ones({2, 3}, DType::f64)).dtype(), DType::f64);
  EXPECT_EQ(bernoulli(ones({2, 3})).shape(), (Shape{2, 3}));
  EXPECT_ERROR(ValueError, "bernoulli: probability -0.5 is not in [0, 1]",
               bernoulli(full({2}, -0.5)));
  EXPECT_ERROR(ValueError, "bernoulli: probability nan is not in [0, 1]",
               bernoulli(full({2}, NAN)));
  EXPECT_ERROR_WITH(DTypeError, "bernoulli", bernoulli(tensor({1, 0})));
}

TEST(Factories, RangesOfNothingAndOfTooMuch) {
  EXPECT_EQ(arange(3, 3).numel(), 0);
  EXPECT_ERROR(ValueError, "arange: steps of 0 do not lead from 3 to 3", arange(3, 3, 0));
  EXPECT_ERROR(ValueError, "arange: steps of 1 do not lead from 3 to 2", arange(3, 2));
  EXPECT_ERROR(ValueError, "arange: steps of 1 do not lead from 1 to 0.5", arange(1, 0.5));
  EXPECT_ERROR(ValueError, "arange: steps of 1 do not lead from 0.3 to 0", arange(0.3, 0, 1));
  EXPECT_ERROR(ValueError, "arange: steps of -1 do not lead from 0 to 0.3", arange(0, 0.3, -1));
  EXPECT_EQ(arange(0.5, 0.5).numel(), 0);
  EXPECT_ERROR(ValueError, "arange: steps of 1 do not lead from 0 to inf", arange(0, INFINITY));
  EXPECT_ERROR(ShapeError, "arange: 1e+16 elements are too many", arange(0, 1e16, 1.0));
  EXPECT_EQ(describe(arange(0, 3, 1.0)), "f32[3]");
  EXPECT_EQ(linspace(3, 4, 0).numel(), 0);
  EXPECT_EQ(linspace(3, 4, 2).to_vector<float>(), (std::vector<float>{3, 4}));
  // The last is met exactly, however the steps round.
  const auto thirds = linspace(0.1, 0.7, 4, DType::f64).to_vector<double>();
  EXPECT_EQ(thirds.front(), 0.1);
  EXPECT_EQ(thirds.back(), 0.7);
  EXPECT_EQ(linspace(1e16, 1, 2, DType::f64).to_vector<double>(), (std::vector<double>{1e16, 1}));
  EXPECT_NEAR(thirds[1], 0.3, 1e-15);
  EXPECT_NEAR(thirds[2], 0.5, 1e-15);
  EXPECT_ERROR(ValueError, "linspace: count -1 is negative", linspace(0, 1, -1));
  EXPECT_ERROR_WITH(DTypeError, "linspace", linspace(0, 1, 3, DType::i64));
  EXPECT_EQ(eye(3, 2).to_vector<float>(), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(whole(full({2}, INT64_MAX)), Integers(2, INT64_MAX));
  EXPECT_EQ(whole(full({2}, 2.0, DType::i64)), Integers(2, 2));
  EXPECT_EQ(describe(full({2}, 3, DType::f64)), "f64[2]");
}

TEST(Factories, AreLikeWhatTheyAreGiven) {
  const Tensor x = zeros({2, 3}, DType::f64);
  for (const Tensor& each :
       {zeros_like(x), ones_like(x), full_like(x, 7), empty_like(x), rand_like(x), randn_like(x)}) {
    EXPECT_EQ(describe(each), "f64[2, 3]");
  }
  EXPECT_EQ(ones_like(x).sum().item(), 6);
  EXPECT_EQ(zeros_like(x + 1).sum().item(), 0);
  EXPECT_EQ(full_like(x, 7).sum().item(), 42);
  const Tensor none;
  EXPECT_ERROR(GradError, "zeros_like: x is undefined", zeros_like(none));
  EXPECT_ERROR(GradError, "ones_like: x is undefined", ones_like(none));
  EXPECT_ERROR(GradError, "full_like: x is undefined", full_like(none, 7));
  EXPECT_ERROR(GradError, "zeros_like: x is undefined", zeros_like(none, DType::f64));
  EXPECT_ERROR(GradError, "ones_like: x is undefined", ones_like(none, DType::f64));
  EXPECT_ERROR(GradError, "full_like: x is undefined", full_like(none, 7, DType::f64));
  EXPECT_ERROR(GradError, "empty_like: x is undefined", empty_like(none));
  EXPECT_ERROR(GradError, "rand_like: x is undefined", rand_like(none));
  EXPECT_ERROR(GradError, "randn_like: x is undefined", randn_like(none));
  EXPECT_ERROR(GradError, "bernoulli: probabilities is undefined", bernoulli(none));
}

TEST(Factories, OfBracesSayWhatDoesNotFit) {
  EXPECT_EQ(describe(tensor({true, 1})), "i64[2]");
  EXPECT_EQ(describe(tensor({1, true})), "i64[2]");
  EXPECT_EQ(describe(tensor({1, 2.5})), "f32[2]");
  EXPECT_EQ(describe(tensor({2.5, true})), "f32[2]");
  EXPECT_ERROR(ShapeError, "tensor: values in braces are of shapes [2] and [1]",
               tensor({{1, 2}, {3}}));
}

}  // namespace
}  // namespace heed
