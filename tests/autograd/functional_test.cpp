#include "../../autograd/functional.h"

#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor vec(const Numbers& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64);
}

void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(describe(a), describe(b));
  const Numbers x = numbers(a), y = numbers(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12) << i;
}

const Tensor kWeight = tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f64);
Tensor curve(const Tensor& x) { return square(matmul(kWeight, x)); }  // [3] -> [2]
// 2 W_ij (W x)_i at x = (1, 0, 2): W x = (7, 16)
const Tensor kSlope = tensor({14, 28, 42, 128, 160, 192}, {2, 3}, DType::f64);

TEST(Jacobian, IsExact) {
  const Tensor j = jacobian(curve, vec({1, 0, 2}));
  EXPECT_EQ(j.shape(), (Shape{2, 3}));
  EXPECT_EQ(numbers(j), numbers(kSlope));
  EXPECT_FALSE(j.requires_grad());
}

TEST(Jacobian, OfSeveralInputsAndAnyRank) {
  const auto f = [](const std::vector<Tensor>& x) { return x[0] * x[1]; };
  const Tensor a = randn({2, 3}, DType::f64), b = randn({3}, DType::f64);
  const auto j = jacobian(f, {a, b});
  EXPECT_EQ(j[0].shape(), (Shape{2, 3, 2, 3}));
  EXPECT_EQ(j[1].shape(), (Shape{2, 3, 3}));
  for (Index i = 0; i < 2; ++i) {
    for (Index k = 0; k < 3; ++k) {
      const Tensor row = select(select(j[1], 0, i), 0, k);
      for (Index m = 0; m < 3; ++m) {
        EXPECT_EQ(select(row, 0, m).item(), m == k ? select(select(a, 0, i), 0, k).item() : 0);
      }
    }
  }
}

TEST(Jacobian, IsZeroWhereNothingDepends) {
  const auto f = [](const std::vector<Tensor>& x) { return x[0] * 2; };
  const auto j = jacobian(f, {vec({1, 2}), vec({3, 4, 5})});
  EXPECT_EQ(numbers(j[0]), (Numbers{2, 0, 0, 2}));
  EXPECT_EQ(numbers(j[1]), Numbers(6, 0));
  EXPECT_EQ(numbers(jacobian([](const Tensor&) { return vec({1, 2}); }, vec({7}))), Numbers(2, 0));
  EXPECT_EQ(jacobian([](const Tensor& x) { return x; }, zeros({0}, DType::f64)).shape(),
            (Shape{0, 0}));
}

TEST(Jacobian, OfAnInputWithoutElementsHasNone) {
  const auto j = jacobian([](const std::vector<Tensor>& x) { return x[0] * 2 + sum(x[1]); },
                          {vec({1, 2}), zeros({0}, DType::f64)});
  EXPECT_EQ(numbers(j[0]), (Numbers{2, 0, 0, 2}));
  EXPECT_EQ(j[1].shape(), (Shape{2, 0}));
}

TEST(Jacobian, RefusesTooManyAxes) {
  const Tensor x = zeros({1, 1, 1, 1, 1}, DType::f64);
  EXPECT_THROW(jacobian([](const Tensor& t) { return t; }, x), ShapeError);
}

TEST(Vjp, IsTheProductFromTheLeft) {
  const auto [value, product] = vjp(curve, vec({1, 0, 2}), vec({10, 1}));
  EXPECT_EQ(numbers(value), (Numbers{49, 256}));
  expect_near(product, matmul(vec({10, 1}), kSlope));
  EXPECT_EQ(numbers(vjp([](const Tensor& x) { return sum(x * x); }, vec({1, 2})).product),
            (Numbers{2, 4}));
  const auto many = vjp([](const std::vector<Tensor>& x) { return sum(x[0] * x[1]); },
                        {vec({1, 2}), vec({3, 5})});
  EXPECT_EQ(numbers(many.products[0]), (Numbers{3, 5}));
  EXPECT_EQ(numbers(many.products[1]), (Numbers{1, 2}));
}

TEST(Jvp, IsTheProductFromTheRight) {
  const auto [value, product] = jvp(curve, vec({1, 0, 2}), vec({1, 10, 100}));
  EXPECT_EQ(numbers(value), (Numbers{49, 256}));
  expect_near(product, matmul(kSlope, vec({1, 10, 100})));
  const auto many = jvp([](const std::vector<Tensor>& x) { return exp(x[0]) * x[1]; },
                        {vec({0, 0}), vec({3, 5})}, {vec({1, 0}), vec({0, 1})});
  EXPECT_EQ(numbers(many.product), (Numbers{3, 1}));
}

TEST(Jvp, OfLinearAndConstantFunctions) {
  EXPECT_EQ(numbers(jvp([](const Tensor& x) { return x * 3; }, vec({1, 2}), vec({5, 7})).product),
            (Numbers{15, 21}));
  EXPECT_EQ(numbers(jvp(
                        [](const Tensor&) {
                          return vec({1, 2, 3});
                        },
                        vec({1, 2}), vec({5, 7}))
                        .product),
            Numbers(3, 0));
}

TEST(Hessian, IsExact) {
  const auto f = [](const Tensor& x) {
    return sum(x * x * x) + 5 * select(x, 0, 0) * select(x, 0, 2);
  };
  const Tensor h = hessian(f, vec({1, 2, 3}));
  EXPECT_EQ(numbers(h), (Numbers{6, 0, 5, 0, 12, 0, 5, 0, 18}));
  EXPECT_EQ(numbers(hessian([](const Tensor& x) { return sum(x * 3); }, vec({1, 2}))),
            Numbers(4, 0));
  EXPECT_EQ(hessian([](const Tensor& x) { return sum(square(x)); }, zeros({2, 3})).shape(),
            (Shape{2, 3, 2, 3}));
}

TEST(Hvp, AgreesWithTheHessian) {
  const auto f = [](const Tensor& x) { return sum(tanh(matmul(kWeight, x)) * 2); };
  const Tensor x = vec({0.1, 0.2, -0.3}), v = vec({1, -2, 3});
  expect_near(hvp(f, x, v).product, matmul(hessian(f, x), v));
  EXPECT_EQ(hvp(f, x, v).value.item(), f(x).item());
}

TEST(Functional, TouchesNoGradAndIgnoresTheMode) {
  Tensor x = vec({1, 0, 2}), w = kWeight.detach();
  x.set_requires_grad();
  w.set_requires_grad();
  const NoGrad off;
  EXPECT_EQ(numbers(jacobian([&](const Tensor& t) { return square(matmul(w, t)); }, x)),
            numbers(kSlope));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
  EXPECT_FALSE(recording());
}

TEST(Functional, SaysWhatDoesNotFit) {
  const auto square_sum = [](const Tensor& x) { return sum(x * x); };
  EXPECT_ERROR(ShapeError, "vjp: v is f64[3] for f64[2]",
               vjp(curve, vec({1, 2, 3}), vec({1, 2, 3})));
  EXPECT_ERROR(ShapeError, "vjp: the function must give one element, not f64[2]",
               vjp(curve, vec({1, 2, 3})));
  EXPECT_ERROR(ShapeError, "jvp: v is f64[2] for f64[3]", jvp(curve, vec({1, 2, 3}), vec({1, 2})));
  EXPECT_ERROR(DTypeError, "hvp: v is f32[2] for f64[2]", hvp(square_sum, vec({1, 2}), ones({2})));
  EXPECT_ERROR(ShapeError, "hessian: the function must give one element, not f64[2]",
               hessian(curve, vec({1, 2, 3})));
  EXPECT_ERROR(ShapeError, "hvp: the function must give one element, not f64[2]",
               hvp(curve, vec({1, 2, 3}), vec({1, 2, 3})));
  EXPECT_ERROR(ShapeError, "hvp: v is f64[3] for f64[2]",
               hvp(square_sum, vec({1, 2}), vec({1, 2, 3})));
  EXPECT_ERROR(DTypeError, "vjp: v is f32[2] for f64[2]", vjp(curve, vec({1, 2, 3}), ones({2})));
  EXPECT_ERROR(DTypeError, "jvp: v is f32[3] for f64[3]", jvp(curve, vec({1, 2, 3}), ones({3})));
  EXPECT_ERROR(DTypeError, "hessian: takes f32 or f64, not i64",
               hessian(square_sum, zeros({2}, DType::i64)));
  EXPECT_ERROR(GradError, "tensor: it is undefined", jacobian(curve, Tensor()));
  EXPECT_TRUE(throws<ValueError>("jvp: 0 directions for 1 inputs", [&] {
    jvp([](const std::vector<Tensor>& x) { return x[0]; }, {vec({1})}, {});
  }));
  const InferenceMode mode;
  EXPECT_ERROR(GradError, "hessian: it must record, which an InferenceMode forbids",
               hessian(square_sum, vec({1, 2})));
}

// Gradients of a result in bf16 are in f32.
TEST(Functional, TakesAResultInBf16) {
  const Tensor x = tensor({1, 2, 3}, {3}), v = tensor({2, 3, 5}, {3});
  const auto f = [](const Tensor& t) { return to(square(t), DType::bf16); };
  const Product back = vjp(f, x, v);
  EXPECT_EQ(back.value.dtype(), DType::bf16);
  EXPECT_EQ(back.product.to_vector<float>(), (std::vector<float>{4, 12, 30}));
  EXPECT_EQ(jvp(f, x, v).product.to_vector<float>(), (std::vector<float>{4, 12, 30}));
  EXPECT_EQ(jacobian(f, x).to_vector<float>(), (std::vector<float>{2, 0, 0, 0, 4, 0, 0, 0, 6}));
  EXPECT_ERROR(DTypeError, "vjp: v is bf16[3] for bf16[3]: it is in f32",
               vjp(f, x, to(v, DType::bf16)));
}

}  // namespace
}  // namespace heed
