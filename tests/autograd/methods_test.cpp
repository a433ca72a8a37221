// What PyTorch's users write first does what it does there: methods, operators, writes in place.
#include "../../autograd/methods.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/more_methods.h"
#include "../../autograd/other_words.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor six() { return tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f64); }
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

TEST(Methods, ReshapeAsTheFunctionsDo) {
  const Tensor x = six();
  EXPECT_EQ(x.view({-1, 6}).shape(), (Shape{1, 6}));
  EXPECT_EQ(x.view(3, -1).shape(), (Shape{3, 2}));
  EXPECT_EQ(x.reshape(6).shape(), (Shape{6}));
  EXPECT_EQ(numbers(x.t()), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(numbers(x.T()), numbers(x.transpose(0, 1)));
  EXPECT_EQ(numbers(x.permute(1, 0)), numbers(x.permute({1, 0})));
  EXPECT_EQ(x.unsqueeze(0).expand(5, -1, 3).shape(), (Shape{5, 2, 3}));
  EXPECT_EQ(x.repeat(2, 1).shape(), (Shape{4, 3}));
  EXPECT_EQ(x.unbind(1).size(), 3U);
  EXPECT_EQ(numbers(x.flip(1)), (Numbers{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(x.size(), x.sizes());
  EXPECT_EQ(x.dim(), 2);
  EXPECT_EQ(x.stride(0), 3);
  EXPECT_THROW(x.view({-1, -1}), ShapeError);
  EXPECT_THROW(zeros({2, 3, 5}).t(), ShapeError);
}

TEST(Methods, ReduceOverOneAxisOrSeveral) {
  const Tensor x = six();
  EXPECT_EQ(x.sum().item(), 21);
  EXPECT_EQ(numbers(x.sum(0)), (Numbers{5, 7, 9}));
  EXPECT_EQ(numbers(x.sum({0, 1}, true)), (Numbers{21}));
  EXPECT_EQ(numbers(sum(x, -1)), (Numbers{6, 15}));
  EXPECT_EQ(numbers(x.mean(1, true)), (Numbers{2, 5}));
  EXPECT_EQ(x.max().item<int>(), 6);
  EXPECT_EQ(min(x).item(), 1);
  const auto [values, places] = x.max(1);
  EXPECT_EQ(numbers(values), (Numbers{3, 6}));
  EXPECT_EQ(numbers(places), (Numbers{2, 2}));
  EXPECT_NEAR(x.std().item(), std::sqrt(3.5), 1e-12);
  EXPECT_EQ(numbers(heed::std(x, 1)), (Numbers{1, 1}));
  EXPECT_EQ(numbers(x.argmax(1)), (Numbers{2, 2}));
  EXPECT_EQ(numbers(max(x, 3.5 + 0 * x)), numbers(maximum(x, 3.5)));
}

TEST(Methods, CompareAsTheOperatorsDo) {
  const Tensor x = tensor({1, 2, 3}, {3}, DType::f64), y = tensor({2, 2, 2}, {3}, DType::f64);
  EXPECT_EQ(numbers(x.eq(y)), (Numbers{0, 1, 0}));
  EXPECT_EQ(numbers(x.ne(y)), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(x.lt(y)), (Numbers{1, 0, 0}));
  EXPECT_EQ(numbers(x.le(y)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(x.gt(y)), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(x.ge(y)), (Numbers{0, 1, 1}));
  EXPECT_EQ(numbers(x.eq(2)), (Numbers{0, 1, 0}));
  EXPECT_EQ(numbers(x.ne(2)), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(x.lt(2)), (Numbers{1, 0, 0}));
  EXPECT_EQ(numbers(x.le(2)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(x.gt(2)), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(x.ge(2)), (Numbers{0, 1, 1}));
}

TEST(Methods, KeepNoAxisUnlessAsked) {
  const Tensor x = six();
  EXPECT_EQ(x.sum().rank(), 0);
  EXPECT_EQ(x.prod().rank(), 0);
  EXPECT_EQ(numbers(x.prod(1)), (Numbers{6, 120}));
  EXPECT_EQ(x.prod(1).shape(), (Shape{2}));
  EXPECT_EQ(x.mean(0).shape(), (Shape{3}));
  EXPECT_EQ(x.argmax(0).shape(), (Shape{3}));
}

TEST(Methods, IndexAsPythonDoes) {
  const Tensor x = six();
  EXPECT_EQ(numbers(x[1]), (Numbers{4, 5, 6}));
  EXPECT_EQ(x[-1][0].item(), 4);
  EXPECT_EQ(numbers(x[x > 3.0]), (Numbers{4, 5, 6}));
  EXPECT_EQ(numbers(x[tensor({1, 0, 1})]), (Numbers{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers((x[{Slice(), Slice(0, 2)}])), (Numbers{1, 2, 4, 5}));
  EXPECT_THROW(x[2], IndexError);
}

TEST(Methods, AssigningToAPartWritesIt) {
  const Tensor x = six();
  x[0] = tensor({7.0, 8.0, 9.0}, DType::f64);
  x[1] = 0;
  x[1][2] += 5;
  EXPECT_EQ(numbers(x), (Numbers{7, 8, 9, 0, 0, 5}));
  const Tensor leaf = six().requires_grad_();
  EXPECT_THROW(leaf[0] = 1.0, GradError);
  EXPECT_THROW(x[0] = zeros({2}), ShapeError);
}

TEST(Methods, CompoundAssignmentWritesInPlaceWhereNothingIsRecorded) {
  Tensor x = six();
  const Tensor alias = x;
  x += 1;
  x *= x;
  x -= tensor({1.0, 2.0, 3.0}, DType::f64);
  x /= 2.0;
  EXPECT_EQ(numbers(alias), (Numbers{1.5, 3.5, 6.5, 12, 17, 23}));
  EXPECT_THROW(x += zeros({5, 2, 3}, DType::f64), ShapeError);
  const Tensor weight = six().requires_grad_();
  {
    const NoGrad scope;
    Tensor p = weight;
    p -= 0.5 * p;
    EXPECT_EQ(numbers(weight), (Numbers{0.5, 1, 1.5, 2, 2.5, 3}));
  }
  Tensor p = weight;
  EXPECT_THROW(p += 1, GradError);
}

TEST(Methods, CompoundAssignmentIsRecorded) {
  const Tensor x = six().requires_grad_();
  Tensor y = x * 1;
  y += x;
  y *= 3;
  Tensor z = zeros({2, 3}, DType::f64);
  z += y;
  z.sum().backward();
  EXPECT_EQ(numbers(x.grad()), Numbers(6, 6.0));
  EXPECT_THROW(y += zeros({5, 2, 3}, DType::f64), ShapeError);
}

TEST(Methods, OperatorsOfBoolsAndTruth) {
  const Tensor x = six();
  EXPECT_EQ(((x > 1) & (x < 4)).sum().item(), 2);
  EXPECT_EQ(((x < 2) | (x > 5)).sum().item(), 2);
  EXPECT_EQ((~(x > 2) ^ !(x > 2)).any().item(), 0);
  EXPECT_TRUE(all(x == x));
  EXPECT_FALSE((x > 6).any());
  EXPECT_THROW(static_cast<bool>(x > 2), ShapeError);
  EXPECT_TRUE(x.allclose(x + 1e-9));
  EXPECT_FALSE(allclose(x, x + 1e-3));
  EXPECT_TRUE(equal(x, six()));
  EXPECT_FALSE(equal(x, six().t()));
  const Tensor odd = tensor({INFINITY, -INFINITY, NAN}, {3});
  EXPECT_EQ(numbers(isclose(odd, odd)), (Numbers{1, 1, 0}));
  EXPECT_TRUE(allclose(odd, odd, 0, 0, true));
}

TEST(Methods, WriteInPlace) {
  const Tensor x = six();
  x.sub_(3).relu_().mul_(2.0).clamp_(0, 5);
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 0, 2, 4, 5}));
  x.masked_fill_(x > 3, -1).abs_().neg_();
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 0, -2, -1, -1}));
  EXPECT_EQ(numbers(x.zero_()), Numbers(6, 0.0));
  x.uniform_(3, 4);
  EXPECT_TRUE(all((x >= 3) & (x < 4)));
  EXPECT_EQ(x.copy_(ones({3}, DType::f64)).sum().item(), 6);
  EXPECT_EQ(x.data_ptr<double>()[5], 1);
  EXPECT_THROW(x.data_ptr<float>(), DTypeError);
}

TEST(Methods, ThatDrawRefuseBeforeTheyDo) {
  const Tensor x = six().requires_grad_();
  const auto before = default_generator().state();
  EXPECT_THROW(x.normal_(), GradError);
  EXPECT_THROW(x.uniform_(), GradError);
  EXPECT_THROW(ones({1, 3}).expand({2, 3}).normal_(), ShapeError);
  EXPECT_EQ(default_generator().state(), before);
}

TEST(Methods, OtherWordsMeanOurs) {
  const Tensor x = six().requires_grad_();
  EXPECT_EQ(numbers(grad((x * x).sum(), x)), (Numbers{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(grad({(x * x).sum()}, {x}).size(), 1U);
  const no_grad scope;
  EXPECT_FALSE((x * 2).requires_grad());
  EXPECT_EQ(numbers(cat({x, x}, 1)[0]), (Numbers{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(numbers(clip(x, 2, 3)), (Numbers{2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(numbers(add(x, 1)), numbers(x + 1));
}

TEST(Words, OfPyTorchMeanTheSame) {
  const Tensor x = six();
  EXPECT_EQ(x.ndim(), 2);
  EXPECT_EQ(x.nelement(), 6);
  EXPECT_EQ(tensor(1).type_as(x).dtype(), DType::f64);
  EXPECT_EQ(zeros({2}, kDouble).dtype(), DType::f64);
  EXPECT_EQ(numbers(clamp_min(x, 3)), numbers(x.clamp_min(3)));
  EXPECT_EQ(numbers(clamp_max(x, 3)), (Numbers{1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(numbers(x.clamp_max(3)), (Numbers{1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(numbers(where(x > 4, 1, 0.5)), (Numbers{0.5, 0.5, 0.5, 0.5, 1, 1}));
  EXPECT_EQ(numbers(x.index({Slice(), 1})), (Numbers{2, 5}));
  const Tensor taken = take(x, tensor({{5, 0}, {2, 2}}));
  EXPECT_EQ(taken.shape(), (Shape{2, 2}));
  EXPECT_EQ(numbers(taken), (Numbers{6, 1, 3, 3}));
  EXPECT_EQ(vstack({x[0], x[1], x[0]}).shape(), (Shape{3, 3}));
  EXPECT_EQ(numbers(vstack({x, x[0].unsqueeze(0)})), (Numbers{1, 2, 3, 4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(numbers(hstack({x[0], x[1]})), numbers(x));
  EXPECT_EQ(hstack({x, x}).shape(), (Shape{2, 6}));
  EXPECT_EQ(numbers(swapaxes(x, 0, 1)), numbers(x.t()));
  EXPECT_EQ(numbers(addcmul(x[0], x[0], x[1], 0.5)), (Numbers{3, 7, 12}));
  EXPECT_EQ(numbers(addcdiv(x[0], x[1], x[0])), (Numbers{5, 4.5, 5}));
  const Tensor a = x.unsqueeze(0), b = x.t().unsqueeze(0);
  EXPECT_EQ(numbers(baddbmm(ones({2, 2}, DType::f64), a, b)), numbers(bmm(a, b) + 1.0));
  EXPECT_EQ(numbers(logspace(-1, 2, 4)), numbers(tensor({0.1, 1.0, 10.0, 100.0})));
  EXPECT_EQ(normal(5, 0, {2}).to_vector<float>(), (std::vector<float>{5, 5}));
}

TEST(Methods, CalculateAsTheOperatorsDo) {
  const Tensor x = tensor({6, 12}, {2}, DType::f64), y = tensor({3, 2}, {2}, DType::f64);
  EXPECT_EQ(numbers(x.add(y)), (Numbers{9, 14}));
  EXPECT_EQ(numbers(x.add(3)), (Numbers{9, 15}));
  EXPECT_EQ(numbers(x.sub(y)), (Numbers{3, 10}));
  EXPECT_EQ(numbers(x.sub(3)), (Numbers{3, 9}));
  EXPECT_EQ(numbers(x.mul(y)), (Numbers{18, 24}));
  EXPECT_EQ(numbers(x.mul(3)), (Numbers{18, 36}));
  EXPECT_EQ(numbers(x.div(y)), (Numbers{2, 6}));
  EXPECT_EQ(numbers(x.div(3)), (Numbers{2, 4}));
  for (const double alpha : {0.0, 1.0, 2.0}) {
    EXPECT_EQ(numbers(x.clone().add_(y, alpha)), (Numbers{6 + 3 * alpha, 12 + 2 * alpha}));
    EXPECT_EQ(numbers(x.clone().sub_(y, alpha)), (Numbers{6 - 3 * alpha, 12 - 2 * alpha}));
  }
}

TEST(Methods, HandOnAllTheirArguments) {
  manual_seed(3);
  const Tensor x = randn({3, 4, 5}, DType::f64);
  const auto expect_same = [](const Tensor& a, const Tensor& b) {
    EXPECT_EQ(a.shape(), b.shape());
    EXPECT_EQ(numbers(a), numbers(b));
  };
  expect_same(x.flatten(1, 2), flatten(x, 1, 2));
  EXPECT_TRUE(throws_with<ShapeError>("axis 5 ", [&] { x.transpose(5, 6); }));
  expect_same(x.mT(), transpose(x, 1, 2));
  expect_same(x.roll({2}, {1}), roll(x, {2}, {1}));
  expect_same(x.repeat_interleave(2, 1), repeat_interleave(x, 2, 1));
  expect_same(x.unfold(1, 3, 1), unfold(x, 1, 3, 1));
  expect_same(x.split(3, 1)[0], split(x, 3, 1)[0]);
  expect_same(x.chunk(3, 1)[0], chunk(x, 3, 1)[0]);
  expect_same(x.select(2, 1), select(x, 2, 1));
  expect_same(x.slice(2, 1, 5, 3), slice(x, 2, 1, 5, 3));
  expect_same(x.narrow(2, 1, 3), narrow(x, 2, 1, 3));
  expect_same(x.diagonal(1, 2, 0), diagonal(x, 1, 2, 0));
  expect_same(x.clamp(-0.5, 0.25), clamp(x, -0.5, 0.25));
  expect_same(x.clip(-0.5, 0.25), clamp(x, -0.5, 0.25));
  expect_same(x.clone().clamp_(-0.5, 0.25), clamp(x, -0.5, 0.25));
  const Tensor low = full({5}, -0.5, DType::f64), high = full({5}, 0.25, DType::f64);
  expect_same(x.clamp(low, high), clamp(x, -0.5, 0.25));
  EXPECT_TRUE(tensor({10.0}).allclose(tensor({11.0}), 0.125, 0));
  EXPECT_FALSE(tensor({10.0}).allclose(tensor({11.0}), 0, 0.125));
  expect_same(x.var(1, true, 0), var(x, 1, true, 0));
  expect_same(x.std(1, true, 0), stddev(x, 1, true, 0));
  expect_same(x.norm(1, {2}, true), norm(x, 1, {2}, true));
  expect_same(x.max(2, true).values, amax(x, {2}, true));
  expect_same(x.min(2, true).values, amin(x, {2}, true));
  expect_same(x.argmax(2, true), argmax(x, 2, true));
  expect_same(x.argmin(2, true), argmin(x, 2, true));
  expect_same(x.median(2, true).values, median(x, 2, true).values);
  expect_same(x.sort(0, true).values, sort(x, 0, true).values);
  expect_same(x.argsort(0, true), argsort(x, 0, true));
  expect_same(x.topk(2, 1, false, true).values, topk(x, 2, 1, false, true).values);
  expect_same(x.topk(2, 1, true, false).indices, topk(x, 2, 1, true, false).indices);
}

}  // namespace
}  // namespace heed
