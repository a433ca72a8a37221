// What is meant by an argument that is left out.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/autograd.h"
#include "../../core/generator.h"

namespace heed {
namespace {

const Shape kNone;

Tensor numbers() { return tensor({3, 1, 2, 7, 5, 11}, {2, 3}, DType::f64); }

TEST(Defaults, OfMoments) {
  const Tensor x = numbers();
  EXPECT_EQ(var(x).shape(), kNone);
  EXPECT_NEAR(var(x).item(), (209 - 29.0 * 29 / 6) / 5, 1e-13);
  EXPECT_EQ(var(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(stddev(x).shape(), kNone);
  EXPECT_NEAR(stddev(x).item(), std::sqrt((209 - 29.0 * 29 / 6) / 5), 1e-13);
  EXPECT_EQ(stddev(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(norm(x).shape(), kNone);
  EXPECT_NEAR(norm(x).item(), std::sqrt(209.0), 1e-13);
  EXPECT_EQ(norm(x, 2, {1}).shape(), (Shape{2}));
}

TEST(Defaults, OfReductions) {
  const Tensor x = numbers();
  for (const Tensor& each : {sum(x), mean(x), prod(x), logsumexp(x), amax(x), amin(x)}) {
    EXPECT_EQ(each.shape(), kNone);
  }
  EXPECT_EQ(sum(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(mean(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(prod(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(logsumexp(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(amax(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(amin(x, {1}).shape(), (Shape{2}));
  EXPECT_EQ(all(x > 0, {1}).shape(), (Shape{2}));
  EXPECT_EQ(any(x > 0, {1}).shape(), (Shape{2}));
}

TEST(Defaults, OfPlaces) {
  const Tensor x = numbers();
  for (const Tensor& each : {argmax(x, 1), argmin(x, 1), max(x, 1).values, max(x, 1).indices,
                             min(x, 1).values, min(x, 1).indices, median(x, 1).values}) {
    EXPECT_EQ(each.shape(), (Shape{2}));
  }
  using Places = std::vector<Index>;
  EXPECT_EQ(argsort(x).array().to_vector<Index>(), (Places{1, 2, 0, 1, 0, 2}));
  EXPECT_EQ(sort(x).indices.array().to_vector<Index>(), (Places{1, 2, 0, 1, 0, 2}));
  EXPECT_EQ(topk(x, 2).indices.array().to_vector<Index>(), (Places{0, 2, 2, 0}));
}

TEST(Defaults, OfMargins) {
  const Tensor far = tensor({-1, -1}, {2}, DType::f64);
  EXPECT_NEAR(hinge_embedding_loss(tensor({0.25, 3}, {2}, DType::f64), far).item(), 0.375, 1e-15);
  EXPECT_NEAR(cosine_embedding_loss(tensor({2, 0}, {2}, DType::f64),
                                    tensor({3, 4}, {2}, DType::f64), tensor(-1, DType::f64))
                  .item(),
              0.6, 1e-11);
  EXPECT_NEAR(multi_margin_loss(tensor({3.5, 2, 4}, {3}, DType::f64),
                                Tensor(Array::full({}, 2, DType::i64)))
                  .item(),
              0.5 / 3, 1e-15);
}

TEST(Defaults, ASampleHasNoAxisOfItsOwn) {
  const Tensor half = full({2, 3}, 0.5, DType::f64);
  EXPECT_EQ(Categorical::from_logits(half).sample().shape(), (Shape{2}));
  EXPECT_EQ(Bernoulli::from_probs(half).sample().shape(), (Shape{2, 3}));
  EXPECT_EQ(Normal(half, 1.0).sample().shape(), (Shape{2, 3}));
}

// Beside the same call with PyTorch's values, on numbers for which others would tell.
class DefaultArguments : public testing::Test {
 protected:
  Tensor normal(const Shape& shape, double scale = 1) {
    return Tensor(generator_.normal(shape, 0, scale, DType::f64));
  }
  Generator generator_{11};
};

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.array().to(DType::f64).to_vector<double>(),
            b.array().to(DType::f64).to_vector<double>());
}

TEST_F(DefaultArguments, OfNorms) {
  const Tensor small = normal({3, 4, 5}, 1e-3), none, weight = normal({4}), bias = normal({4});
  expect_same(rms_norm(small, {5}), rms_norm(small, {5}, none, 1e-6));
  expect_same(rms_norm_plain(small, {5}), rms_norm_plain(small, {5}, none, 1e-6));
  expect_same(layer_norm(small, {5}), layer_norm(small, {5}, none, none, 1e-5));
  expect_same(layer_norm_plain(small, {5}), layer_norm_plain(small, {5}, none, none, 1e-5));
  expect_same(group_norm(small, 2), group_norm(small, 2, none, none, 1e-5));
  expect_same(group_norm_plain(small, 2), group_norm_plain(small, 2, none, none, 1e-5));
  expect_same(batch_norm_plain(small), batch_norm_plain(small, none, none, 1e-5));
  const Tensor mean = normal({4}, 1e-3), var = abs(normal({4}, 1e-5));
  expect_same(batch_norm(small, mean, var, weight, bias),
              batch_norm(small, mean, var, weight, bias, false, 0.1, 1e-5));
  const auto moved = [&](auto... momentum) {
    const Tensor running_mean = zeros({4}, DType::f64), running_var = ones({4}, DType::f64);
    batch_norm(small, running_mean, running_var, none, none, true, momentum...);
    return concat({running_mean, running_var});
  };
  expect_same(moved(), moved(0.1));
}

TEST_F(DefaultArguments, OfDirections) {
  const Tensor tiny = normal({3, 4, 5}, 1e-13);
  expect_same(normalize(tiny), normalize(tiny, 2, 1, 1e-12));
  const Tensor x = normal({3, 4, 5}, 1e-5), y = normal({3, 4, 5}, 1e-5);
  expect_same(cosine_similarity(x, y), cosine_similarity(x, y, 1, 1e-8));
  expect_same(norm(x), norm(x, 2, {}, false));
}

TEST_F(DefaultArguments, OfActivations) {
  const Tensor x = normal({97}, 3);
  expect_same(leaky_relu(x), leaky_relu(x, 0.01));
  expect_same(elu(x), elu(x, 1));
  expect_same(hardtanh(x), hardtanh(x, -1, 1));
  expect_same(gelu(x), gelu(x, Gelu::exact));
  const Tensor halves = normal({3, 4, 6});
  expect_same(glu(halves), glu(halves, -1));
  // Above 20 softplus is a line; just below it is not yet.
  const Tensor edge = Tensor(Array::from(std::vector<double>{-1, 0.5, 19.9, 20.1, 25}));
  expect_same(softplus(edge), softplus(edge, 1, 20));
  EXPECT_EQ(softplus(edge).select(0, 3).item(), 20.1);
  EXPECT_GT(softplus(edge).select(0, 2).item(), 19.9);
  expect_same(entmax(x, 0), entmax(x, 0, 1.5));
}

TEST_F(DefaultArguments, OfLosses) {
  const Tensor x = normal({7, 5}, 2), y = normal({7, 5}, 2);
  const Tensor signs = where(normal({7}) > 0, ones({7}, DType::f64), -ones({7}, DType::f64));
  const Tensor all = where(x > 0, ones({7, 5}, DType::f64), -ones({7, 5}, DType::f64));
  expect_same(hinge_embedding_loss(abs(x), all),
              hinge_embedding_loss(abs(x), all, 1, Reduction::mean));
  expect_same(cosine_embedding_loss(x, y, signs),
              cosine_embedding_loss(x, y, signs, 0, Reduction::mean));
  expect_same(smooth_l1_loss(x, y), smooth_l1_loss(x, y, 1, Reduction::mean));
  expect_same(huber_loss(x, y), huber_loss(x, y, 1, Reduction::mean));
  expect_same(mse_loss(x, y), mse_loss(x, y, Reduction::mean));
  expect_same(l1_loss(x, y), l1_loss(x, y, Reduction::mean));
}

TEST_F(DefaultArguments, OfComparisons) {
  const auto close = [](double x, double y) {
    return allclose(Tensor(Array::from(std::vector<double>{x})),
                    Tensor(Array::from(std::vector<double>{y})));
  };
  EXPECT_TRUE(close(1, 1 + 0.99e-5));
  EXPECT_FALSE(close(1, 1 + 1.02e-5));
  EXPECT_TRUE(close(0, 0.99e-8));
  EXPECT_FALSE(close(0, 1.01e-8));
  EXPECT_FALSE(close(NAN, NAN));
}

TEST_F(DefaultArguments, OfAxes) {
  const Tensor x = normal({4, 6, 4});
  expect_same(concat({x, x}), concat({x, x}, 0));
  expect_same(stack({x, x}), stack({x, x}, 0));
  expect_same(split(x, 3)[1], split(x, 3, 0)[1]);
  expect_same(chunk(x, 2)[1], chunk(x, 2, 0)[1]);
  expect_same(unbind(x)[3], unbind(x, 0)[3]);
  expect_same(flatten(x), flatten(x, 0, -1));
  expect_same(slice(x, 1, 1, 6), slice(x, 1, 1, 6, 1));
  expect_same(diagonal(x), diagonal(x, 0, 0, 1));
  expect_same(diag_embed(x), diag_embed(x, 0));
  expect_same(diag(x.select(0, 0)), diag(x.select(0, 0), 0));
  expect_same(tril(x), tril(x, 0));
  expect_same(triu(x), triu(x, 0));
  expect_same(sort(x).values, sort(x, -1, false).values);
  expect_same(argsort(x), argsort(x, -1, false));
  expect_same(topk(x, 2).values, topk(x, 2, -1, true, true).values);
  expect_same(var(x), var(x, {}, false, 1));
  expect_same(stddev(x), stddev(x, {}, false, 1));
  expect_same(x.var(1, true), var(x, 1, true, 1));
  expect_same(x.var(1, true, 0), var(x, 1, true, 0));
  expect_same(x.std(1, true, 0), stddev(x, 1, true, 0));
}

TEST_F(DefaultArguments, OfNumbers) {
  const Tensor x = normal({5}), y = normal({5}), z = exp(normal({5}));
  expect_same(addcmul(x, y, z), x + y * z);
  expect_same(addcdiv(x, y, z), x + y / z);
  expect_same(arange(3, 9), arange(3, 9, 1));
  EXPECT_NEAR(logspace(0, 2, 3).select(0, 1).item(), 10, 1e-5);
  const Tensor ids = Tensor(Array::from(std::vector<std::int64_t>{2, 0, 2}));
  expect_same(one_hot(ids), one_hot(ids, 3, DType::i64));
  expect_same(bincount(ids), bincount(ids, 0));
}

}  // namespace
}  // namespace heed
