// The rarer words of PyTorch's users: methods of tensor_words.h and functions of other_words.h,
// each beside what it means.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor six() { return tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f64); }
Tensor of(const Numbers& numbers) { return Array::from(numbers); }
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

class RarerWords : public testing::Test {
 protected:
  Tensor normal(const Shape& shape) { return generator_.normal(shape, 0, 1, DType::f64); }
  Generator generator_{23};
};

TEST_F(RarerWords, SayWhatATensorIs) {
  const Tensor x = six();
  EXPECT_EQ(x.scalar_type(), DType::f64);
  EXPECT_EQ(x.type(), DType::f64);
  EXPECT_EQ(x.type(DType::f32).dtype(), DType::f32);
  EXPECT_EQ(x.toType(DType::i64).dtype(), DType::i64);
  EXPECT_EQ(x.ndimension(), 2);
  EXPECT_EQ(x.element_size(), 8);
  EXPECT_EQ(x.to(DType::f32).nbytes(), 24);
  EXPECT_TRUE(x.is_same_size(zeros({2, 3})));
  EXPECT_FALSE(x.is_same_size(zeros({3, 2})));
  EXPECT_EQ(to_string(DType::i64), "i64");
  EXPECT_EQ(six().to(DType::f32).to_vector(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(RarerWords, Rearrange) {
  const Tensor x = six();
  EXPECT_EQ(numbers(x.swapaxes(0, 1)), numbers(x.t()));
  EXPECT_EQ(x.unflatten(1, {3, 1}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(x.unflatten(-1, {1, -1}).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(x.unflatten(0, {2, 1}).shape(), (Shape{2, 1, 3}));
  EXPECT_THROW(x.unflatten(1, {2, 2}), ShapeError);
  EXPECT_EQ(numbers(x[Slice(1, 2)]), (Numbers{4, 5, 6}));
  EXPECT_TRUE(equal(embedding(tensor({1, 0, 1}), x), embedding(x, tensor({1, 0, 1}))));
  EXPECT_EQ(numbers(repeat_interleave(x, 2)), (Numbers{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(numbers(concatenate({x, x}, 1)), numbers(concat({x, x}, 1)));
  EXPECT_EQ(numbers(column_stack({of({1, 2}), of({3, 4})})), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(column_stack({x, x}).shape(), (Shape{2, 6}));
  EXPECT_EQ(numbers(diff(of({1, 4, 9, 2}))), (Numbers{3, 5, -7}));
  EXPECT_EQ(numbers(diff(x, 0)), (Numbers{3, 3, 3}));
  EXPECT_EQ(diff(zeros({2, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(diff(zeros({2, 1})).shape(), (Shape{2, 0}));
  Numbers firsts;
  for (const auto& row : x) firsts.push_back(row[0].item());
  EXPECT_EQ(firsts, (Numbers{1, 4}));
  for (const auto& row : zeros({0, 3})) FAIL() << row;
  EXPECT_THROW(end(tensor(1)), ShapeError);
}

TEST_F(RarerWords, Compute) {
  const Tensor x = normal({3, 5}), y = normal({3, 5}), square = normal({4, 4});
  EXPECT_EQ(numbers(x.add(y, 2)), numbers(x + 2 * y));
  EXPECT_EQ(numbers(x.sub(y, 2)), numbers(x - 2 * y));
  EXPECT_EQ(numbers(add(x, y, 0.5)), numbers(x + 0.5 * y));
  EXPECT_EQ(numbers(sub(x, y, 0.5)), numbers(x - 0.5 * y));
  EXPECT_EQ(square.trace().item(), trace(square).item());
  EXPECT_EQ(numbers(x.gelu()), numbers(gelu(x)));
  EXPECT_EQ(numbers(x.lerp(y, 0.25)), numbers(lerp(x, y, 0.25)));
  EXPECT_EQ(numbers(x.inner(y)), numbers(matmul(x, y.t())));
  EXPECT_NEAR(inner(x[0], y[0]).item(), dot(x[0], y[0]).item(), 1e-14);
  EXPECT_EQ(inner(x, y[0]).shape(), (Shape{3}));
  EXPECT_EQ(numbers(inner(x, of({2})[0])), numbers(2 * x));
  EXPECT_EQ(numbers(inner(tensor({{1, 2}, {3, 4}}), tensor({5, 6}, {1, 2}, DType::i64))),
            (Numbers{17, 39}));
  EXPECT_EQ(numbers(inner(x, y)), numbers(x.inner(y)));
  EXPECT_EQ(numbers(x.where(x > 0, y)), numbers(where(x > 0, x, y)));
  EXPECT_EQ(numbers(x.isclose(x + 1e-9)), numbers(isclose(x, x + 1e-9)));
  EXPECT_EQ(dist(x, y).item(), norm(x - y).item());
  EXPECT_EQ(dist(x, y, 1).item(), norm(x - y, 1).item());
  EXPECT_EQ(vdot(x[0], y[0]).item(), dot(x[0], y[0]).item());
  EXPECT_EQ(numbers(ger(x[0], y[1])), numbers(outer(x[0], y[1])));
  EXPECT_EQ(numbers(frac(of({1.75, -1.75, 3}))), (Numbers{0.75, -0.75, 0}));
  EXPECT_EQ(log2(of({8})).item(), 3);
  EXPECT_EQ(log10(of({1000})).item(), 3);
  EXPECT_EQ(numbers(swish(x)), numbers(silu(x)));
  EXPECT_EQ(numbers(logsigmoid(x)), numbers(log_sigmoid(x)));
  EXPECT_EQ(linalg::norm(x).item(), norm(x).item());
  const Tensor image = normal({1, 2, 6, 6});
  EXPECT_EQ(numbers(max_pool2d(image, 3, 2, 1)),
            numbers(max_pool2d(image, {.kernel = 3, .stride = 2, .padding = 1})));
  EXPECT_EQ(numbers(avg_pool2d(image, 2, 1)),
            numbers(avg_pool2d(image, {.kernel = 2, .stride = 1})));
}

TEST_F(RarerWords, ActivateAsTheirFormulasSay) {
  const Numbers at = {-4, -2.5, -0.5, 0.25, 2, 3.5};
  const Numbers some = numbers(selu(of(at))), steps = numbers(hardsigmoid(of(at))),
                swishes = numbers(hardswish(of(at)));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double x = at[i];
    EXPECT_NEAR(some[i], 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)),
                1e-12);
    EXPECT_NEAR(steps[i], std::clamp((x + 3) / 6, 0.0, 1.0), 1e-15);
    EXPECT_NEAR(swishes[i], x * std::clamp((x + 3) / 6, 0.0, 1.0), 1e-15);
  }
  for (const auto& function : {selu, hardsigmoid, hardswish}) {
    EXPECT_TRUE(gradcheck(function, of(at))) << gradcheck(function, of(at)).text();
    EXPECT_TRUE(
        gradgradcheck([&](const std::vector<Tensor>& x) { return function(x[0]); }, {of(at)}));
  }
}

TEST_F(RarerWords, LoseAsTheirFormulasSay) {
  const Tensor a = normal({7}), b = normal({7}),
               y = where(normal({7}) > 0, 1.0, -1.0).to(DType::f64);
  double sum = 0;
  for (int i = 0; i < 7; ++i) {
    sum += std::max(0.0, 0.3 - y[i].item() * (a[i].item() - b[i].item()));
  }
  EXPECT_NEAR(margin_ranking_loss(a, b, y, 0.3, Reduction::sum).item(), sum, 1e-12);
  EXPECT_NEAR(margin_ranking_loss(a, b, y, 0.3).item(), sum / 7, 1e-12);
  EXPECT_EQ(margin_ranking_loss(a, b, y, 0.3, Reduction::none).shape(), (Shape{7}));
  EXPECT_EQ(margin_ranking_loss(a, b, y).item(), margin_ranking_loss(a, b, y, 0).item());
  const Tensor x = normal({5, 3}), near = normal({5, 3}), far = normal({5, 3});
  const auto length = [](const Tensor& of) {
    double out = 0;
    for (const double each : numbers(of)) out += (each + 1e-6) * (each + 1e-6);
    return std::sqrt(out);
  };
  sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += std::max(0.0, 0.7 + length(x[i] - near[i]) - length(x[i] - far[i]));
  EXPECT_NEAR(triplet_margin_loss(x, near, far, 0.7, Reduction::sum).item(), sum, 1e-12);
  EXPECT_EQ(triplet_margin_loss(x, near, far).item(), triplet_margin_loss(x, near, far, 1).item());
  const auto losses = [](const std::vector<Tensor>& of) {
    return triplet_margin_loss(of[0], of[1], of[2], 0.7, Reduction::none);
  };
  EXPECT_TRUE(gradcheck(losses, {x, near, far}));
  EXPECT_TRUE(gradgradcheck(losses, {x, near, far}));
  EXPECT_TRUE(gradcheck(
      [&](const std::vector<Tensor>& of) { return margin_ranking_loss(of[0], of[1], y, 0.3); },
      {a, b}));
}

TEST_F(RarerWords, WriteInPlace) {
  const auto after = [](auto change) {
    const Tensor x = six();
    const Tensor same = change(x);
    EXPECT_TRUE(same.array().raw() == x.array().raw());
    return numbers(x);
  };
  const Tensor x = six(), y = normal({2, 3}), z = exp(normal({2, 3}));
  EXPECT_EQ(after([&](const Tensor& t) { return t.add_(y, -0.5); }), numbers(x + -0.5 * y));
  EXPECT_EQ(after([&](const Tensor& t) { return t.sub_(y, -0.5); }), numbers(x - -0.5 * y));
  EXPECT_EQ(after([&](const Tensor& t) { return t.add_(y); }), numbers(x + y));
  EXPECT_EQ(after([&](const Tensor& t) { return t.lerp_(y, 0.25); }), numbers(lerp(x, y, 0.25)));
  EXPECT_EQ(after([&](const Tensor& t) { return t.addcmul_(y, z, 0.1); }),
            numbers(x + 0.1 * (y * z)));
  EXPECT_EQ(after([&](const Tensor& t) { return t.addcdiv_(y, z, 0.1); }),
            numbers(x + 0.1 * (y / z)));
  EXPECT_EQ(after([](const Tensor& t) { return t.clamp_min_(3); }), (Numbers{3, 3, 3, 4, 5, 6}));
  EXPECT_EQ(after([](const Tensor& t) { return t.clamp_max_(3); }), (Numbers{1, 2, 3, 3, 3, 3}));
  const Tensor ids = tensor({1, 0, 1}, {1, 3}, DType::i64);
  EXPECT_EQ(after([&](const Tensor& t) {
              return t.scatter_add_(0, ids, ones({1, 3}, DType::f64));
            }),
            (Numbers{1, 3, 3, 5, 5, 7}));
  EXPECT_EQ(after([&](const Tensor& t) {
              return t.index_add_(1, tensor({2, 2}), ones({2, 2}, DType::f64));
            }),
            (Numbers{1, 2, 5, 4, 5, 8}));
  EXPECT_EQ(after([](const Tensor& t) {
              return t.index_put_({0, Slice(1, 3)}, 9);
            }),
            (Numbers{1, 9, 9, 4, 5, 6}));
  EXPECT_EQ(after([](const Tensor& t) {
              return t.index_put_({1}, of({7, 8, 9}));
            }),
            (Numbers{1, 2, 3, 7, 8, 9}));
  Tensor w = six().set_requires_grad();
  w.set_data(y);
  EXPECT_EQ(numbers(w), numbers(y));
  EXPECT_TRUE(w.requires_grad());
}

// A write is not recorded: the gradient of what is written would be lost.
TEST_F(RarerWords, WriteNothingThatNeedsAGradient) {
  const Tensor y = normal({2, 3}).set_requires_grad(), z = exp(normal({2, 3}));
  for (const auto& write : std::vector<std::function<void(const Tensor&)>>{
           [&](const Tensor& t) { t.add_(y); }, [&](const Tensor& t) { t.add_(y, 0.5); },
           [&](const Tensor& t) { t.sub_(y, 2); }, [&](const Tensor& t) { t.lerp_(y, 0.5); },
           [&](const Tensor& t) { t.addcmul_(y, z); }, [&](const Tensor& t) { t.addcmul_(z, y); },
           [&](const Tensor& t) { t.addcdiv_(y, z); },
           [&](const Tensor& t) { t.addcdiv_(z, y); }}) {
    const Tensor x = six();
    EXPECT_THROW(write(x), GradError);
    EXPECT_EQ(numbers(x), numbers(six()));
    const NoGrad scope;
    write(x);
    EXPECT_NE(numbers(x), numbers(six()));
  }
}

TEST_F(RarerWords, MakeOthersOfTheirKind) {
  const Tensor x = six();
  EXPECT_EQ(x.new_zeros({3}).dtype(), DType::f64);
  EXPECT_EQ(numbers(x.new_ones({2})), (Numbers{1, 1}));
  EXPECT_EQ(numbers(x.new_full({2}, 3)), (Numbers{3, 3}));
  EXPECT_EQ(x.new_empty({2, 5}).shape(), (Shape{2, 5}));
  EXPECT_EQ(scalar_tensor(3).rank(), 0);
  Generator a(3), b(3);
  EXPECT_EQ(numbers(randn({5}, a)), numbers(randn({5}, DType::f32, b)));
  EXPECT_EQ(numbers(rand({5}, a)), numbers(rand({5}, DType::f32, b)));
  manual_seed(7);
  const Numbers dropped = numbers(dropout(ones({97})));
  manual_seed(7);
  EXPECT_EQ(dropped, numbers(dropout(ones({97}), 0.5)));
}

TEST_F(RarerWords, MakeWhatIsAskedFor) {
  EXPECT_TRUE(equal(zeros_like(six(), kLong), zeros({2, 3}, kLong)));
  EXPECT_TRUE(equal(ones_like(six(), kBool), ones({2, 3}, kBool)));
  EXPECT_TRUE(equal(full_like(six(), 7, kLong), full({2, 3}, 7)));
  EXPECT_EQ(empty(3, 5).shape(), (Shape{3, 5}));
  Generator a(3), b(3);
  EXPECT_TRUE(equal(randint(2, 101, {13}, a), 2 + randint(99, {13}, b)));
  EXPECT_TRUE(equal(randperm(17, a), randperm(17, b)));
  EXPECT_TRUE(equal(randint(99, {13}, a.manual_seed(5)), randint(99, {13}, b.manual_seed(5))));
  EXPECT_EQ(randint(2, 5, {3}, kFloat).dtype(), DType::f32);
  EXPECT_EQ(randint(5, {3}, kFloat64).dtype(), DType::f64);
  const Tensor drawn = randint_like(six(), 3, 5);
  EXPECT_EQ(drawn.dtype(), DType::f64);
  EXPECT_TRUE(all((drawn == 3) | (drawn == 4)) && randint_like(six(), 1).sum().item() == 0);
  const std::vector<std::vector<float>> rows = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(equal(tensor(rows), six().to(DType::f32)));
  EXPECT_TRUE(equal(tensor(rows, DType::f64), six()));
  EXPECT_THROW(tensor(std::vector<std::vector<double>>{{1}, {2, 3}}), ShapeError);
  EXPECT_TRUE(as_tensor(drawn).is_same(drawn));
  EXPECT_EQ(as_tensor({1, 2}).dtype(), DType::i64);
  EXPECT_EQ(as_tensor(std::vector<double>{1, 2}).dtype(), DType::f64);
}

TEST_F(RarerWords, AreMethods) {
  const Tensor x = sigmoid(normal({3, 5})), y = normal({3, 5});
  EXPECT_EQ(numbers(x.asin() + x.acos() + x.atan()), numbers(asin(x) + acos(x) + atan(x)));
  EXPECT_EQ(numbers(x.sinh() + x.cosh()), numbers(sinh(x) + cosh(x)));
  EXPECT_EQ(numbers(x.log2() + x.log10()), numbers(log2(x) + log10(x)));
  EXPECT_EQ(numbers(y.atan2(x)), numbers(atan2(y, x)));
  EXPECT_EQ(numbers(y.silu() + y.leaky_relu(0.3)), numbers(silu(y) + leaky_relu(y, 0.3)));
  EXPECT_TRUE(equal((x > 0.5).logical_xor(y > 0), (x > 0.5) ^ (y > 0)));
  EXPECT_TRUE(equal(x.greater(y), x > y) && equal(x.less_equal(0.5), x <= 0.5));
  EXPECT_TRUE(equal(x.less(y), x < y) && equal(x.greater_equal(0.5), x >= 0.5));
  EXPECT_TRUE(equal(x.not_equal(y), x != y));
  EXPECT_TRUE(equal(x.swapdims(0, 1), x.t()));
  EXPECT_EQ(numbers(x.ravel()), numbers(x));
  EXPECT_EQ(x.unsqueeze(0).unsqueeze(2).squeeze({0, 1}).shape(), (Shape{3, 1, 5}));
  EXPECT_EQ(numbers(six().take(tensor({{5, 0}}))), (Numbers{6, 1}));
  EXPECT_EQ(numbers(tensor({3, 1, 3}).unique()), (Numbers{1, 3}));
  EXPECT_EQ(numbers(tensor({3, 1, 3}).bincount(5)), (Numbers{0, 1, 0, 2, 0}));
  EXPECT_EQ(numbers(tensor({{0, 1}, {2, 3}}).count_nonzero(1)), (Numbers{1, 2}));
  const auto [middle, place] = six().median(1);
  EXPECT_EQ(numbers(middle), (Numbers{2, 5}));
  EXPECT_EQ(numbers(place), (Numbers{1, 1}));
  EXPECT_EQ(numbers(six().clamp(of({2, 3, 1}), of({4, 4, 5}))), (Numbers{2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(numbers(six().clamp(of({2, 3, 1}))), (Numbers{2, 3, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(six().slice(1, 1)), (Numbers{2, 3, 5, 6}));
  EXPECT_EQ(six().to(tensor({1})).dtype(), DType::i64);
  EXPECT_EQ(zeros({2}, six().options()).dtype(), DType::f64);
  const Tensor a = normal({2, 3}), b = normal({3, 2});
  EXPECT_EQ(numbers(zeros({2, 2}, DType::f64).addmm(a, b)), numbers(0.0 + mm(a, b)));
  EXPECT_EQ(numbers(y.addcmul(x, y, 3)), numbers(y + 3 * (x * y)));
  EXPECT_EQ(numbers(y.addcdiv(x, y)), numbers(y + 1 * (x / y)));
}

TEST_F(RarerWords, WriteEachInPlace) {
  const auto expect = [](Tensor (Tensor::*in_place)() const, Tensor (*function)(const Tensor&)) {
    const Tensor x = six() / 7, same = x;
    EXPECT_TRUE((x.*in_place)().is_same(x));
    EXPECT_EQ(numbers(same), numbers(function(six() / 7)));
  };
  expect(&Tensor::neg_, neg);
  expect(&Tensor::ceil_, ceil);
  expect(&Tensor::trunc_, trunc);
  expect(&Tensor::sin_, sin);
  expect(&Tensor::cos_, cos);
  expect(&Tensor::rsqrt_, rsqrt);
  expect(&Tensor::reciprocal_, reciprocal);
  expect(&Tensor::square_, square);
  expect(&Tensor::log_, log);
  const Tensor x = six();
  EXPECT_EQ(numbers(x.remainder_(4)), (Numbers{1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(numbers(x.remainder_(of({1, 2, 2}))), (Numbers{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(numbers(six().clip_(2, 5)), (Numbers{2, 2, 3, 4, 5, 5}));
  EXPECT_EQ(numbers(six().cumsum_(1)), (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(numbers(six().tril_()), (Numbers{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(numbers(six().triu_(1)), (Numbers{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(numbers(six().fill_diagonal_(0)), (Numbers{0, 2, 3, 4, 0, 6}));
  EXPECT_EQ(numbers(six().index_copy_(1, tensor({2, 0}), of({9, 8, 7, 6}).reshape(2, 2))),
            (Numbers{8, 2, 9, 6, 5, 7}));
  const Tensor y = six();
  y.mutable_data_ptr<double>()[2] = 11;
  EXPECT_EQ(numbers(y), (Numbers{1, 2, 11, 4, 5, 6}));
  const Tensor leaf = six().requires_grad_(), kept = sum(leaf * leaf);
  EXPECT_THROW(leaf.mutable_data_ptr<double>(), GradError);
  EXPECT_THROW(leaf.fill_diagonal_(1), GradError);
  {
    const NoGrad scope;
    leaf.mutable_data_ptr<double>()[0] = 2;
  }
  EXPECT_THROW(kept.backward(), GradError);  // the old numbers are gone
}

TEST_F(RarerWords, SetModes) {
  EXPECT_EQ(get_num_threads(), num_threads());
  EXPECT_TRUE(is_grad_enabled());
  {
    const AutoGradMode off(false);
    EXPECT_FALSE(is_grad_enabled());
  }
  Tensor x = six().set_requires_grad();
  const Tensor y = sum(x * x);
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(numbers(x.grad()), numbers(4 * x));
  EXPECT_THROW(y.backward(), GradError);
  const Tensor z = sum(x * x * x);
  x.set_grad(Tensor());
  z.backward({.retain_graph = true});
  z.backward({}, true, true);  // recorded
  EXPECT_TRUE(x.grad().requires_grad());
  backward(z);
  EXPECT_EQ(numbers(x.grad()), numbers(9 * x * x));
  EXPECT_FALSE(detach(z).requires_grad());
  const Tensor first = grad({sum(x * x * x)}, {x}, {}, true, true)[0];
  EXPECT_EQ(numbers(grad({sum(first)}, {x}, {tensor(0.5, DType::f64)}, true)[0]), numbers(3 * x));
  EXPECT_EQ(numbers(grad(sum(first), x)), numbers(6 * x));
  EXPECT_TRUE(gradcheck([](const Tensor& t) { return t * t; }, six()));
  EXPECT_FALSE(gradcheck([](const Tensor& t) { return t * t.detach(); }, six()));
}

}  // namespace
}  // namespace heed
