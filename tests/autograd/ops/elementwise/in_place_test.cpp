#include "../../../../autograd/ops/elementwise/in_place.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/unfold.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

class Floats : public testing::TestWithParam<DType> {
 protected:
  static Tensor make(const Numbers& values, const Shape& shape) {
    return tensor(values, shape, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(InPlaceOps, Floats, testing::Values(DType::f32, DType::f64),
                         [](const auto& entry) { return std::string(name(entry.param)); });

TEST_P(Floats, WriteWhatTheNameSays) {
  const auto x = [] { return make({1, 2, 3, 4, 5, 6}, {2, 3}); };
  const Tensor y = make({2, 4, 8}, {3});
  EXPECT_EQ(numbers(add_(x(), y)), (Numbers{3, 6, 11, 6, 9, 14}));
  EXPECT_EQ(numbers(sub_(x(), y)), (Numbers{-1, -2, -5, 2, 1, -2}));
  EXPECT_EQ(numbers(mul_(x(), y)), (Numbers{2, 8, 24, 8, 20, 48}));
  EXPECT_EQ(numbers(div_(x(), y)), (Numbers{0.5, 0.5, 0.375, 2, 1.25, 0.75}));
  EXPECT_EQ(numbers(pow_(y.detach(), make({2}, {1}))), (Numbers{4, 16, 64}));
  EXPECT_EQ(numbers(add_(x(), 0.5)), (Numbers{1.5, 2.5, 3.5, 4.5, 5.5, 6.5}));
  EXPECT_EQ(numbers(sub_(x(), 0.5)), (Numbers{0.5, 1.5, 2.5, 3.5, 4.5, 5.5}));
  EXPECT_EQ(numbers(mul_(x(), 2)), (Numbers{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(numbers(div_(x(), 2)), (Numbers{0.5, 1, 1.5, 2, 2.5, 3}));
  EXPECT_EQ(numbers(pow_(x(), 3)), (Numbers{1, 8, 27, 64, 125, 216}));
  EXPECT_EQ(numbers(clamp_(x(), 2, 5)), (Numbers{2, 2, 3, 4, 5, 5}));
  EXPECT_EQ(numbers(clamp_(x(), {}, 3)), (Numbers{1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(numbers(masked_fill_(x(), x() > 4, -1)), (Numbers{1, 2, 3, 4, -1, -1}));
  EXPECT_EQ(numbers(fill_(x(), 7)), Numbers(6, 7));
  EXPECT_EQ(numbers(zero_(x())), Numbers(6, 0));
  EXPECT_EQ(numbers(copy_(x(), make({7, 8}, {2, 1}))), (Numbers{7, 7, 7, 8, 8, 8}));
}

// assign(x, y) is x += y or the like: in x's memory, or on the tape a result of its own. Its plain
// form of numbers, and the slopes of that in x and in y.
template <class Assign, class Plain, class Slope, class SlopeY>
void expect_compound(DType dtype, const Assign& assign, const Plain& plain, const Slope& slope,
                     const SlopeY& slope_y) {
  const Numbers xs = {1.5, -2, 4}, ys = {2, -8, 0.5}, gs = {3, 5, -7};
  const auto each = [&](const auto& f, const Numbers& by) {
    Numbers out;
    for (std::size_t i = 0; i < 3; ++i) out.push_back(f(i, xs[i], by[i]));
    return out;
  };
  const auto value = [&](std::size_t, double x, double y) { return plain(x, y); };
  const auto gradient = [&](std::size_t i, double x, double y) { return gs[i] * slope(x, y); };
  const auto gradient_y = [&](std::size_t i, double x, double y) { return gs[i] * slope_y(x, y); };
  const auto make = [&](const Numbers& numbers) { return tensor(numbers, {3}, dtype); };
  // `by` is y, a tensor or a number, `y_numbers` what it holds.
  const auto expect_all = [&](const auto& by, const Numbers& y_numbers) {
    Tensor x = make(xs);
    const Tensor same = x;
    assign(x, by);
    EXPECT_EQ(numbers(same), each(value, y_numbers)) << "in its memory";
    const Tensor wide = zeros({3, 2}, dtype);
    copy_(select(wide, 1, 1), make(xs));
    assign(select(wide, 1, 1), by);
    EXPECT_EQ(numbers(select(wide, 1, 1)), each(value, y_numbers)) << "a view";
    EXPECT_EQ(numbers(select(wide, 1, 0)), Numbers(3, 0)) << "beside a view";
    const Tensor leaf = make(xs).requires_grad(true);
    Tensor on_tape = leaf * 1.0;
    const Tensor before = on_tape;
    assign(on_tape, by);
    EXPECT_EQ(numbers(on_tape), each(value, y_numbers));
    EXPECT_EQ(numbers(before), xs) << "what others hold stays";
    EXPECT_EQ(numbers(grad({on_tape}, {leaf}, {make(gs)})[0]), each(gradient, y_numbers));
  };
  expect_all(4.0, Numbers(3, 4));
  const Tensor y = make(ys).requires_grad(true);
  expect_all(y.detach(), ys);
  Tensor x = make(xs) * 1.0;
  assign(x, y);
  EXPECT_EQ(numbers(grad({x}, {y}, {make(gs)})[0]), each(gradient_y, ys));
  Tensor on_tape = make(xs).requires_grad(true) * 1.0;
  EXPECT_ERROR_WITH(ShapeError, "is not of x's shape", assign(on_tape, zeros({2, 3}, dtype)));
}

TEST_P(Floats, AreChangedByOperators) {
  const auto one = [](double, double) { return 1.0; };
  const auto minus_one = [](double, double) { return -1.0; };
  expect_compound(
      GetParam(), [](auto&& x, const auto& y) { std::forward<decltype(x)>(x) += y; },
      [](double x, double y) { return x + y; }, one, one);
  expect_compound(
      GetParam(), [](auto&& x, const auto& y) { std::forward<decltype(x)>(x) -= y; },
      [](double x, double y) { return x - y; }, one, minus_one);
  expect_compound(
      GetParam(), [](auto&& x, const auto& y) { std::forward<decltype(x)>(x) *= y; },
      [](double x, double y) { return x * y; }, [](double, double y) { return y; },
      [](double x, double) { return x; });
  expect_compound(
      GetParam(), [](auto&& x, const auto& y) { std::forward<decltype(x)>(x) /= y; },
      [](double x, double y) { return x / y; }, [](double, double y) { return 1 / y; },
      [](double x, double y) { return -x / (y * y); });
}

TEST_P(Floats, WriteIntoViews) {
  const Tensor x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  add_(select(x, 1, 1), 10);
  EXPECT_EQ(numbers(x), (Numbers{1, 12, 3, 4, 15, 6}));
  mul_(transpose(x, 0, 1), make({1, -1}, {2}));
  EXPECT_EQ(numbers(x), (Numbers{1, 12, 3, -4, -15, -6}));
  fill_(slice(x, 1, 0, 3, 2), 0);
  EXPECT_EQ(numbers(x), (Numbers{0, 12, 0, 0, -15, 0}));
  EXPECT_EQ(x.array().version(), 3U);
}

TEST_P(Floats, ReadTheirOwnMemory) {
  const Tensor x = make({1, 2, 3, 4}, {2, 2});
  add_(x, transpose(x, 0, 1));
  EXPECT_EQ(numbers(x), (Numbers{2, 5, 5, 8}));
  mul_(x, x);
  EXPECT_EQ(numbers(x), (Numbers{4, 25, 25, 64}));
  sub_(x, select(x, 0, 0));
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 21, 39}));
  copy_(narrow(reshape(x, {4}), 0, 0, 3), narrow(reshape(x, {4}), 0, 1, 3));
  EXPECT_EQ(numbers(x), (Numbers{0, 21, 39, 39}));
}

TEST_P(Floats, WriteLargeAndEmptyOnes) {
  const Tensor x = zeros({301, 353}, GetParam());
  const Tensor steps = make({1, 2, 3}, {3, 1});
  add_(narrow(x, 0, 7, 3), steps);
  add_(transpose(x, 0, 1), 1);
  EXPECT_EQ(sum(x).item(), 301 * 353 + 353 * 6);
  EXPECT_EQ(add_(zeros({0, 3}, GetParam()), 1).numel(), 0);
}

TEST(InPlaceOps, TakeAnyDtypeWhereTheyOnlyCopy) {
  const Tensor ids = Array::from(std::vector<std::int64_t>{1, 2, 3});
  EXPECT_EQ(numbers(fill_(ids, 2.9)), (Numbers{2, 2, 2}));
  EXPECT_EQ(numbers(copy_(ids, tensor({1.5, -2.5, 3}, {3}))), (Numbers{1, -2, 3}));
  EXPECT_EQ(numbers(masked_fill_(ids, ids < 0, 7)), (Numbers{1, 7, 3}));
  EXPECT_EQ(numbers(fill_(zeros({2}, DType::boolean), 3)), (Numbers{1, 1}));
}

TEST(InPlaceOps, RefuseWhatTheTapeWouldLose) {
  Tensor leaf = ones({3});
  leaf.set_requires_grad();
  const Tensor result = leaf * 2;
  const Tensor plain = ones({3});
  EXPECT_ERROR(GradError,
               "add_: f32[3] is a leaf that requires a gradient; write under NoGrad or into a "
               "detached tensor",
               add_(leaf, 1));
  EXPECT_ERROR(
      GradError,
      "zero_: f32[3] is the result of mul, recorded; write under NoGrad or into a detached tensor",
      zero_(result));
  EXPECT_ERROR(GradError,
               "mul_: f32[3] requires a gradient, which a write in place loses; write under NoGrad "
               "or make a new tensor",
               mul_(plain, leaf));
  EXPECT_THROW(copy_(plain, result), GradError);
  EXPECT_THROW(fill_(select(leaf, 0, 1), 5), GradError);
  EXPECT_THROW(clamp_(leaf, 0, 1), GradError);
  EXPECT_THROW(fill_(Tensor(), 5), GradError);
  EXPECT_THROW(add_(plain, Tensor()), GradError);
  EXPECT_EQ(numbers(leaf), Numbers(3, 1));
  EXPECT_EQ(numbers(plain), Numbers(3, 1));
  EXPECT_EQ(leaf.array().version() + plain.array().version(), 0U);
}

TEST(InPlaceOps, ServeAnOptimizerUnderNoGrad) {
  Tensor weight = tensor({1, 2, 3}, {3});
  weight.set_requires_grad();
  sum(square(weight)).backward();
  {
    const NoGrad scope;
    sub_(weight, weight.grad() * 0.25);
  }
  EXPECT_EQ(numbers(weight), (Numbers{0.5, 1, 1.5}));
  EXPECT_TRUE(weight.is_leaf());
  weight.zero_grad();
  sum(square(weight)).backward();
  EXPECT_EQ(numbers(weight.grad()), (Numbers{1, 2, 3}));
}

TEST(InPlaceOps, RefuseBadOperands) {
  const Tensor x = ones({2, 3});
  EXPECT_ERROR(ShapeError,
               "add_: shapes [2, 3] and [5] do not broadcast: 3 against 5 on axis 1 from the end",
               add_(x, ones({5})));
  EXPECT_ERROR(ShapeError, "add_: f32[2, 3] does not broadcast into f32[3]", add_(ones({3}), x));
  EXPECT_ERROR(DTypeError,
               "div_: dtypes differ: x is f32[2, 3], y is f64[3]: convert one, to(y, DType::f32)",
               div_(x, ones({3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "pow_: takes f32 or f64, not i64", pow_(zeros({3}, DType::i64), 2));
  const Tensor i = ones({2}, DType::i64);
  EXPECT_ERROR(DTypeError,
               "add_: i64[2] and inf, which i64 does not hold: convert x first, to(x, DType::f32)",
               add_(i, HUGE_VAL));
  EXPECT_ERROR_WITH(DTypeError, "sub_: i64[2] and -1e+30, which i64 does not hold", sub_(i, -1e30));
  EXPECT_ERROR_WITH(DTypeError, "mul_: i64[2] and 9.2", mul_(i, 0x1p63));
  EXPECT_ERROR_WITH(DTypeError, "add_: i64[2] and a number with a point, nan", add_(i, NAN));
  EXPECT_ERROR_WITH(DTypeError, "add_: i64[2] and 1.8", add_(i, 18446744073709551615ULL));
  EXPECT_EQ(numbers(add_(i, -0x1p63)), Numbers(2, 1 - 0x1p63));
  EXPECT_ERROR(ShapeError,
               "fill_: f32[2, 3] is expanded: several of its elements are one in memory",
               fill_(expand(ones({1, 3}), {2, 3}), 2));
  EXPECT_ERROR(ValueError, "clamp: it takes min, max or both; both are left out",
               clamp_(x, {}, {}));
  EXPECT_ERROR(DTypeError, "masked_fill_: the mask must be bool, not f32[3]",
               masked_fill_(x, ones({3}), 2));
  EXPECT_ERROR(DTypeError, "masked_fill: the mask must be bool, not f32[3]",
               masked_fill(x, ones({3}), 2));
  EXPECT_ERROR_WITH(ShapeError, "masked_fill: shapes [2, 3] and [2] do not broadcast",
                    masked_fill(x, zeros({2}, DType::boolean), 2));
  EXPECT_ERROR(GradError, "zero_: x is undefined, as a grad() is before any backward pass",
               zero_(x.grad()));
  EXPECT_ERROR(DTypeError,
               "clamp_: i64[2] and a bound that is not whole: convert x first, to(x, DType::f32)",
               clamp_(i, 0.5, {}));
  EXPECT_EQ(numbers(x), Numbers(6, 1));
  EXPECT_EQ(x.array().version(), 0U);
}

TEST(InPlaceOps, WriteWindowsThatShareNoPlace) {
  const Tensor x = zeros({7});
  EXPECT_ERROR_WITH(ShapeError, "several of its elements are one in memory",
                    fill_(unfold(x, 0, 3, 2), 1));
  EXPECT_EQ(sum(x).item(), 0);
  fill_(unfold(x, 0, 2, 2), 1);
  EXPECT_EQ(numbers(x), (Numbers{1, 1, 1, 1, 1, 1, 0}));
  fill_(unfold(x, 0, 2, 3), 2);
  EXPECT_EQ(numbers(x), (Numbers{2, 2, 1, 2, 2, 1, 0}));
}

}  // namespace
}  // namespace heed
