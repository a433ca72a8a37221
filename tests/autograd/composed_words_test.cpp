// Functions of composed_words.h: what they give, and gradients of both orders.
#include "../../autograd/composed_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;
using One = std::function<Tensor(const Tensor&)>;

Tensor of(const Numbers& numbers) { return Array::from(numbers); }
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

class ComposedWords : public testing::Test {
 protected:
  Tensor normal(const Shape& shape) { return generator_.normal(shape, 0, 1, DType::f64); }
  Generator generator_{31};
};

// f at `points` is `wanted`, with right gradients of both orders.
void expect_function(const One& f, double (*wanted)(double), const Numbers& points) {
  const Numbers found = numbers(f(of(points)));
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(found[i], wanted(points[i]), 1e-13) << points[i];
  }
  const auto call = [&](const std::vector<Tensor>& x) { return f(x[0]); };
  const auto first = gradcheck(call, {of(points)});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(call, {of(points)}, {.allow_zero = true});
  EXPECT_TRUE(second) << second.text();
}

TEST_F(ComposedWords, AreTheirFormulas) {
  const Numbers points = {-2.5, -0.75, -0.25, 0.375, 0.8125, 3.25};
  expect_function(heed::asinh, std::asinh, points);
  expect_function(heed::acosh, std::acosh, {1.125, 1.5, 7.25});
  expect_function(heed::atanh, std::atanh, {-0.9375, -0.125, 0.25, 0.8125});
  expect_function(heed::exp2, std::exp2, points);
  expect_function([](const Tensor& x) { return celu(x, 0.7); },
                  [](double x) { return x > 0 ? x : 0.7 * std::expm1(x / 0.7); }, points);
  expect_function([](const Tensor& x) { return threshold(x, 0.5, -3); },
                  [](double x) { return x > 0.5 ? x : -3; }, points);
  expect_function([](const Tensor& x) { return hardshrink(x); },
                  [](double x) { return std::abs(x) > 0.5 ? x : 0; }, points);
  expect_function([](const Tensor& x) { return softshrink(x, 0.3); },
                  [](double x) { return x > 0.3    ? x - 0.3
                                        : x < -0.3 ? x + 0.3
                                                   : 0; }, points);
  expect_function(
      heed::tanhshrink, [](double x) { return x - std::tanh(x); }, points);
}

TEST_F(ComposedWords, HoldAtTheirEdges) {
  EXPECT_EQ(numbers(celu(of({-INFINITY, 0, 1e9}))), (Numbers{-1, 0, 1e9}));
  EXPECT_NEAR(asinh(of({1e-9})).item(), 1e-9, 1e-24);
  for (const double far : {1e9, 1e200, 1.5e308}) {  // whose squares leave the range
    const Tensor x = of({far, -far}).set_requires_grad();
    EXPECT_NEAR(asinh(x)[0].item(), std::asinh(far), 1e-12);
    EXPECT_NEAR(asinh(x)[1].item(), -std::asinh(far), 1e-12);
    EXPECT_NEAR(acosh(of({far})).item(), std::acosh(far), 1e-12);
    EXPECT_NEAR(grad(sum(asinh(x)), x)[1].item() * far, 1, 1e-12);
  }
  EXPECT_NEAR(asinh(tensor({1e30}, DType::f32)).item(), std::asinh(1e30), 1e-5);
  EXPECT_EQ(numbers(acosh(of({1, INFINITY}))), (Numbers{0, INFINITY}));
  EXPECT_TRUE(std::isnan(asinh(of({NAN})).item()));
  EXPECT_ERROR(ValueError, "celu: alpha must not be 0", celu(of({1}), 0));
  Tensor zero = of({0, 1e9});
  zero.set_requires_grad();
  EXPECT_EQ(numbers(grad(sum(celu(zero)), zero)), (Numbers{1, 1}));
  EXPECT_EQ(numbers(grad(sum(asinh(zero)), zero))[0], 1);
  EXPECT_TRUE(std::isnan(threshold(of({NAN}), 0, 1).item()));
  EXPECT_TRUE(std::isnan(hardshrink(of({NAN})).item()));
  const Tensor x = of({1, NAN, 3, NAN}), y = of({2, 5, NAN, NAN});
  const Numbers most = numbers(fmax(x, y)), least = numbers(fmin(x, y));
  EXPECT_EQ(Numbers(most.begin(), most.begin() + 3), (Numbers{2, 5, 3}));
  EXPECT_EQ(Numbers(least.begin(), least.begin() + 3), (Numbers{1, 5, 3}));
  EXPECT_TRUE(std::isnan(most[3]) && std::isnan(least[3]));
}

TEST_F(ComposedWords, DivideAndCompare) {
  const Tensor x = normal({3, 5}), y = normal({3, 5});
  EXPECT_EQ(numbers(multiply(x, y)), numbers(x * y));
  EXPECT_EQ(numbers(subtract(x, 2)), numbers(x - 2));
  EXPECT_EQ(numbers(divide(x, y)), numbers(x / y));
  EXPECT_EQ(numbers(true_divide(x, 3)), numbers(x / 3));
  EXPECT_EQ(numbers(rsub(x, y)), numbers(y - x));
  EXPECT_EQ(numbers(rsub(x, 1)), numbers(1 - x));
  EXPECT_EQ(numbers(div(of({7, -7, 6}), of({2, 2, -4}), "floor")), (Numbers{3, -4, -2}));
  EXPECT_EQ(numbers(div(of({7, -7, 6}), 2, "trunc")), (Numbers{3, -3, 3}));
  EXPECT_THROW(div(x, y, "ceil"), ValueError);
  EXPECT_THROW(div(arange(3), 2, "floor"), DTypeError);
  EXPECT_EQ(numbers(round(of({1.255, -0.375, 17}), 1)), (Numbers{1.3, -0.4, 17}));
  EXPECT_EQ(numbers(round(of({1255, -37}), -1)), (Numbers{1260, -40}));
  EXPECT_EQ(numbers(x.round(1)), numbers(round(x, 1)));
  EXPECT_TRUE(equal(greater(x, y), x > y) && equal(greater(x, 0), x > 0));
  EXPECT_TRUE(equal(greater_equal(x, y), x >= y) && equal(greater_equal(x, 0), x >= 0));
  EXPECT_TRUE(equal(less(x, y), x < y) && equal(less(x, 0), x < 0));
  EXPECT_TRUE(equal(less_equal(x, y), x <= y) && equal(less_equal(x, 0), x <= 0));
  EXPECT_TRUE(equal(not_equal(x, y), x != y) && equal(not_equal(x, 0), x != 0));
}

TEST_F(ComposedWords, Rearrange) {
  const Tensor x = normal({2, 3, 5, 7});
  EXPECT_TRUE(equal(movedim(x, 1, -1), x.permute(0, 2, 3, 1)));
  EXPECT_TRUE(equal(moveaxis(x, 3, 0), x.permute(3, 0, 1, 2)));
  EXPECT_TRUE(equal(x.movedim(2, 1), x.transpose(1, 2)));
  EXPECT_THROW(movedim(x, 4, 0), ShapeError);
  EXPECT_TRUE(equal(swapdims(x, 0, 2), x.transpose(0, 2)));
  EXPECT_TRUE(equal(fliplr(x), flip(x, 1)) && equal(flipud(x), flip(x, 0)));
  EXPECT_EQ(numel(x), 210);
  EXPECT_EQ(atleast_1d(tensor(2)).shape(), (Shape{1}));
  EXPECT_EQ(atleast_2d(tensor(2)).shape(), (Shape{1, 1}));
  EXPECT_EQ(atleast_2d(zeros({3})).shape(), (Shape{1, 3}));
  EXPECT_EQ(atleast_3d(zeros({3})).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(atleast_3d(zeros({3, 2})).shape(), (Shape{3, 2, 1}));
  EXPECT_TRUE(equal(atleast_3d(x), x));
  const Tensor a = normal({2, 3}), b = normal({2, 3});
  EXPECT_TRUE(equal(dstack({a, b}), stack({a, b}, 2)));
  const auto both = broadcast_tensors({a, normal({5, 1, 3})});
  EXPECT_TRUE(equal(both[0], a.expand(5, 2, 3)));
  EXPECT_EQ(both[1].shape(), (Shape{5, 2, 3}));
  const auto pieces = tensor_split(normal({8, 2}), 3);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].size(0), 3);
  EXPECT_EQ(pieces[1].size(0), 3);
  EXPECT_EQ(pieces[2].size(0), 2);
  EXPECT_THROW(tensor_split(a, 0), ValueError);
  EXPECT_TRUE(equal(argwhere(a > 0), nonzero(a > 0)));
  const Tensor order = argsort(a, 1);
  EXPECT_TRUE(equal(take_along_dim(a, order, 1), std::get<0>(sort(a, 1))));
}

TEST_F(ComposedWords, ChooseBetweenNumbers) {
  const Tensor mask = tensor({true, false, true});
  EXPECT_TRUE(equal(where(mask, 7, -2), tensor({7, -2, 7})));
  EXPECT_TRUE(equal(where(mask, 7, -2.5), tensor({7.0, -2.5, 7.0})));
  EXPECT_TRUE(equal(where(mask, false, true), tensor({false, true, false})));
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(where(mask, large, 0)[0].item<std::int64_t>(), large);
  EXPECT_THROW(where(tensor({1, 0}), 1, 0), DTypeError);
}

TEST_F(ComposedWords, TakeSizesInBraces) {
  const Tensor image = normal({2, 3, 5, 7}), line = normal({2, 3, 5});
  EXPECT_TRUE(equal(interpolate(image, {11, 8}), interpolate(image, {.size = PerAxis(11, 8)})));
  EXPECT_TRUE(equal(interpolate(line, {11}), interpolate(line, {.size = PerAxis(11)})));
  EXPECT_THROW(interpolate(image, {8}), ShapeError);
  EXPECT_THROW(interpolate(line, {8, 8}), ShapeError);
  EXPECT_THROW(interpolate(image, {}), ValueError);
}

TEST_F(ComposedWords, MultiplyAndMeasure) {
  const Tensor a = normal({2, 3}), b = normal({3, 5}), c = normal({5, 7}), v = normal({3});
  EXPECT_EQ(numbers(multi_dot({a, b, c})), numbers(matmul(matmul(a, b), c)));
  EXPECT_TRUE(allclose(linalg::multi_dot({a, b}), matmul(a, b)));
  EXPECT_THROW(multi_dot({}), ShapeError);
  EXPECT_EQ(numbers(addmv(ones({2}, DType::f64), a, v)), numbers(1 + mv(a, v)));
  const Tensor left = normal({5, 2, 3}), right = normal({5, 3, 7});
  EXPECT_TRUE(allclose(addbmm(ones({2, 7}, DType::f64), left, right),
                       1 + einsum("bij,bjk->ik", left, right)));
  const auto [spread, middle] = std_mean(a, 1);
  EXPECT_EQ(numbers(spread), numbers(stddev(a, 1)));
  EXPECT_EQ(numbers(middle), numbers(mean(a, 1)));
  EXPECT_EQ(numbers(var_mean(a).first), numbers(var(a)));
  EXPECT_EQ(nanmean(of({1, NAN, 6})).item(), 3.5);
  const Tensor f32 = to(a, DType::f32);
  EXPECT_EQ(numbers(f32.softmax(1, kFloat64)), numbers(softmax(to(f32, DType::f64), 1)));
  EXPECT_EQ(f32.sum(kFloat64).item(), sum(to(f32, DType::f64)).item());
  EXPECT_EQ(mean(arange(4), kFloat64).item(), 1.5);
  const Tensor rows = of({1, 2, 4, 8, 5, 3}).reshape(2, 3);
  EXPECT_TRUE(allclose(cov(rows), of({7 / 3.0, -11 / 3.0, -11 / 3.0, 19 / 3.0}).reshape(2, 2)));
  EXPECT_NEAR(cov(rows[0]).item(), 7 / 3.0, 1e-14);
  EXPECT_THROW(cov(zeros({2, 1})), ValueError);
  EXPECT_THROW(cov(zeros({2, 3, 5})), ShapeError);
}

TEST_F(ComposedWords, TakeWhatIsSmallest) {
  const Tensor x = normal({3, 2});
  EXPECT_FALSE(std::signbit(asinh(of({0.0})).item()));
  EXPECT_TRUE(equal(movedim(x, -1, 0), x.transpose(0, 1)));
  ASSERT_EQ(tensor_split(x, 1).size(), 1U);
  EXPECT_TRUE(equal(tensor_split(x, 1)[0], x));
  EXPECT_TRUE(allclose(cov(of({1, 3})), tensor(2, DType::f64)));
  EXPECT_ERROR(ShapeError, "cov: f64[] has neither rank 1 nor 2", cov(tensor(1, DType::f64)));
  EXPECT_ERROR(ShapeError, "cov: f64[2, 3, 5] has neither rank 1 nor 2", cov(normal({2, 3, 5})));
  EXPECT_EQ(where(tensor({true, false}), 7, true).dtype(), DType::i64);
  EXPECT_EQ(where(tensor({true, false}), 1.5, 7).dtype(), DType::f32);
}

TEST_F(ComposedWords, NameWhatIsUndefined) {
  const Tensor none, some = normal({3});
  const auto refuses = [](const std::string& operand, const std::function<void()>& call) {
    EXPECT_TRUE(throws<GradError>(operand + " is undefined", call)) << operand;
  };
  refuses("div: x", [&] { div(none, some, "floor"); });
  refuses("div: y", [&] { div(some, none, "floor"); });
  refuses("div: x", [&] { div(none, 2, "floor"); });
  refuses("asinh: x", [&] { asinh(none); });
  refuses("acosh: x", [&] { acosh(none); });
  refuses("atanh: x", [&] { atanh(none); });
  refuses("fmax: y", [&] { fmax(some, none); });
  refuses("fmin: y", [&] { fmin(some, none); });
  refuses("movedim: x", [&] { movedim(none, 0, 0); });
  refuses("tensor_split: x", [&] { tensor_split(none, 2); });
  refuses("interpolate: x", [&] { interpolate(none, {8}); });
  refuses("where: condition", [&] { where(none, 1, 2); });
  refuses("nanmean: x", [&] { nanmean(none); });
  refuses("cov: x", [&] { cov(none); });
  EXPECT_ERROR_WITH(DTypeError, "div", div(arange(3), arange(1, 4), "floor"));
}

TEST_F(ComposedWords, CompareWithWhatIsEqualToo) {
  const Tensor x = of({1, 2, 3}), y = of({2, 2, 2});
  for (const Tensor& each : {greater(x, y), greater(x, 2), x.greater(y), x.greater(2)}) {
    EXPECT_EQ(numbers(each), (Numbers{0, 0, 1}));
  }
  for (const Tensor& each :
       {greater_equal(x, y), greater_equal(x, 2), x.greater_equal(y), x.greater_equal(2)}) {
    EXPECT_EQ(numbers(each), (Numbers{0, 1, 1}));
  }
  for (const Tensor& each : {less(x, y), less(x, 2), x.less(y), x.less(2)}) {
    EXPECT_EQ(numbers(each), (Numbers{1, 0, 0}));
  }
  for (const Tensor& each :
       {less_equal(x, y), less_equal(x, 2), x.less_equal(y), x.less_equal(2)}) {
    EXPECT_EQ(numbers(each), (Numbers{1, 1, 0}));
  }
  for (const Tensor& each : {not_equal(x, y), not_equal(x, 2), x.not_equal(y), x.not_equal(2)}) {
    EXPECT_EQ(numbers(each), (Numbers{1, 0, 1}));
  }
}

TEST_F(ComposedWords, CalculateWithTensorsAndNumbers) {
  const Tensor x = of({6, 12}), y = of({3, 2});
  EXPECT_EQ(numbers(multiply(x, y)), (Numbers{18, 24}));
  EXPECT_EQ(numbers(multiply(x, 3)), (Numbers{18, 36}));
  EXPECT_EQ(numbers(subtract(x, y)), (Numbers{3, 10}));
  EXPECT_EQ(numbers(subtract(x, 3)), (Numbers{3, 9}));
  EXPECT_EQ(numbers(divide(x, y)), (Numbers{2, 6}));
  EXPECT_EQ(numbers(divide(x, 3)), (Numbers{2, 4}));
  EXPECT_EQ(numbers(true_divide(x, y)), (Numbers{2, 6}));
  EXPECT_EQ(numbers(true_divide(x, 3)), (Numbers{2, 4}));
  EXPECT_EQ(numbers(rsub(x, y)), (Numbers{-3, -10}));
  EXPECT_EQ(numbers(rsub(x, 3)), (Numbers{-3, -9}));
}

TEST_F(ComposedWords, ShrinkAtTheirEdges) {
  EXPECT_EQ(numbers(threshold(of({0.25, 0.5, 0.75}), 0.5, -3)), (Numbers{-3, -3, 0.75}));
  EXPECT_EQ(numbers(hardshrink(of({-0.75, -0.5, 0.5, 0.75}))), (Numbers{-0.75, 0, 0, 0.75}));
  EXPECT_EQ(numbers(softshrink(of({-0.75, -0.25, 0.25, 0.75}))), (Numbers{-0.25, 0, 0, 0.25}));
  const Tensor x = normal({2, 3, 5});
  EXPECT_TRUE(equal(x.movedim(0, 2), x.permute(1, 2, 0)));
  EXPECT_TRUE(equal(moveaxis(x, 0, 2), x.permute(1, 2, 0)));
}

}  // namespace
}  // namespace heed
