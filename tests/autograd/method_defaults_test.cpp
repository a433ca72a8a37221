// A method without its last arguments, beside the function with all of them.
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../core/generator.h"

namespace heed {
namespace {

class MethodDefaults : public testing::Test {
 protected:
  Tensor normal(const Shape& shape) { return Tensor(generator_.normal(shape, 0, 1, DType::f64)); }
  Generator generator_{29};
};

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.array().to(DType::f64).to_vector<double>(),
            b.array().to(DType::f64).to_vector<double>());
}

TEST_F(MethodDefaults, OfOneTensor) {
  const Tensor x = normal({4, 6, 4}), y = normal({4, 6, 4});
  expect_same(x.flatten(), flatten(x, 0, -1));
  expect_same(x.flatten(1), flatten(x, 1, -1));
  expect_same(x.split(3)[1], split(x, 3, 0)[1]);
  expect_same(x.split({1, 3})[1], split(x, {1, 3}, 0)[1]);
  expect_same(x.chunk(2)[1], chunk(x, 2, 0)[1]);
  expect_same(x.unbind()[3], unbind(x, 0)[3]);
  expect_same(x.slice(1, 1, 6), slice(x, 1, 1, 6, 1));
  expect_same(x.diagonal(), diagonal(x, 0, 0, 1));
  expect_same(x[0].diag(), diag(x[0], 0));
  expect_same(x.tril(), tril(x, 0));
  expect_same(x.triu(), triu(x, 0));
  expect_same(x.sort().values, sort(x, -1, false).values);
  expect_same(x.argsort(), argsort(x, -1, false));
  expect_same(x.topk(2).values, topk(x, 2, -1, true, true).values);
  expect_same(x.norm(), norm(x, 2, {}, false));
  expect_same(dist(x, y), norm(x - y, 2));
  expect_same(x.clone().add_(y), x + y);
  expect_same(x.clone().sub_(y), x - y);
  expect_same(x.clone().addcmul_(x, y), x + x * y);
  expect_same(x.clone().addcdiv_(x, exp(y)), x + x / exp(y));
  EXPECT_TRUE(tensor({1.0}).allclose(tensor({1 + 0.9e-5})));
  EXPECT_FALSE(tensor({1.0}).allclose(tensor({1 + 1.2e-5})));
  EXPECT_TRUE(tensor({0.0}).allclose(tensor({0.9e-8})));
  EXPECT_FALSE(tensor({0.0}).allclose(tensor({1.1e-8})));
}

TEST_F(MethodDefaults, OverAxes) {
  const Tensor x = normal({4, 6, 5});
  for (const Tensor& each :
       {x.sum(1), x.mean(1), x.prod(1), x.var(1), x.std(1), x.norm(2, 1), x.logsumexp(1), x.amax(1),
        x.amin(1), x.all(1), x.any(1), x.max(1).values, x.min(1).values, x.max(1).indices,
        x.min(1).indices, x.argmax(1), x.argmin(1)}) {
    EXPECT_EQ(each.shape(), (Shape{4, 5}));
  }
  for (const Tensor& each : {x.sum(), x.mean(), x.prod(), x.var(), x.std(), x.norm(), x.amax(),
                             x.amin(), x.all(), x.any(), x.max(), x.min()}) {
    EXPECT_EQ(each.shape(), Shape());
  }
}

TEST_F(MethodDefaults, OfDrawsInPlace) {
  const auto drawn = [](auto draw) {
    const Tensor to = zeros({97}, DType::f64);
    manual_seed(5);
    draw(to);
    return to;
  };
  expect_same(drawn([](const Tensor& t) { t.normal_(); }),
              drawn([](const Tensor& t) { t.normal_(0, 1); }));
  expect_same(drawn([](const Tensor& t) { t.uniform_(); }),
              drawn([](const Tensor& t) { t.uniform_(0, 1); }));
}

TEST_F(MethodDefaults, OfSwitches) {
  Tensor x = normal({3});
  EXPECT_TRUE(x.set_requires_grad().requires_grad());
  EXPECT_TRUE(normal({3}).requires_grad_().requires_grad());
  const Tensor ids = Tensor(Array::from(std::vector<std::int64_t>{2, 0}));
  expect_same(embedding(normal({3, 5}).detach(), ids) * 0,
              embedding(normal({3, 5}).detach(), ids, false, -1) * 0);
  Tensor table = normal({3, 5});
  table.set_requires_grad();
  EXPECT_FALSE(grad(sum(embedding(table, ids)), table).is_sparse());
  expect_same(grad(sum(embedding(table, ids)), table).select(0, 2), ones({5}, DType::f64));
  const Tensor bounds = tensor({1.0, 3.0}), at = tensor({1.0, 3.0});
  expect_same(bucketize(at, bounds), bucketize(at, bounds, false));
  expect_same(searchsorted(bounds, at), searchsorted(bounds, at, false));
  expect_same(pad(x, {1, 2}), pad(x, {1, 2}, PadMode::constant, 0));
  const Tensor a = abs(normal({2, 5, 3})), b = normal({2, 5, 3});
  expect_same(linear_scan(a, b, 1), linear_scan(a, b, 1, false));
  expect_same(kl_div(a, abs(b)), kl_div(a, abs(b), Reduction::mean, false));
  const Tensor theta = normal({2, 2, 3});
  expect_same(affine_grid(theta, 3, 5), affine_grid(theta, 3, 5, false));
}

}  // namespace
}  // namespace heed
