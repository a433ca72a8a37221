// What is meant by an argument that is left out.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/autograd.h"

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

}  // namespace
}  // namespace heed
