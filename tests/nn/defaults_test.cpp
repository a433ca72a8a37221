// A layer made without its last arguments is the layer with PyTorch's values for them.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/autograd.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"

namespace heed::nn {
namespace {

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_EQ(a.array().to(DType::f64).to_vector<double>(),
            b.array().to(DType::f64).to_vector<double>());
}

TEST(Defaults, OfActivationsAndNorms) {
  Generator generator(5);
  const Tensor x = Tensor(generator.normal({7, 6, 4}, 0, 3, DType::f32));
  expect_same(LeakyReLU()(x), leaky_relu(x, 0.01));
  expect_same(ELU()(x), elu(x, 1));
  expect_same(Softplus()(8.0 * x), softplus(8.0 * x, 1, 20));
  expect_same(Hardtanh()(x), hardtanh(x, -1, 1));
  expect_same(GELU()(x), gelu(x, Gelu::exact));
  expect_same(GLU()(x), glu(x, -1));
  expect_same(Flatten()(x), flatten(x, 1, -1));
  expect_same(PReLU()(x), leaky_relu(x, 0.25));
  const Tensor small = 1e-3 * x, none;
  expect_same(LayerNorm(4)(small), layer_norm(small, {4}, none, none, 1e-5));
  expect_same(LayerNorm({6, 4})(small), layer_norm(small, {6, 4}, none, none, 1e-5));
  expect_same(LayerNorm(Shape{6, 4})(small), layer_norm(small, {6, 4}, none, none, 1e-5));
  expect_same(RMSNorm(4)(small), rms_norm(small, {4}, none, 1e-6));
  expect_same(RMSNorm({6, 4})(small), rms_norm(small, {6, 4}, none, 1e-6));
  expect_same(RMSNorm(Shape{6, 4})(small), rms_norm(small, {6, 4}, none, 1e-6));
  expect_same(GroupNorm(2, 6)(small), group_norm(small, 2, none, none, 1e-5));
  EXPECT_EQ(Dropout().p(), 0.5);
  const auto dropped = [](auto&& dropout, const Tensor& at) {
    manual_seed(13);
    return dropout(at);
  };
  expect_same(dropped(Dropout2d(), x), dropped(Dropout2d(0.5), x));
}

TEST(Defaults, OfLosses) {
  Generator generator(7);
  const auto normal = [&](const Shape& shape) {
    return Tensor(generator.normal(shape, 0, 2, DType::f64));
  };
  const Tensor x = normal({7, 5}), y = normal({7, 5});
  const Tensor signs = where(normal({7}) > 0, ones({7}, DType::f64), -ones({7}, DType::f64));
  const Tensor all = where(x > 0, ones({7, 5}, DType::f64), -ones({7, 5}, DType::f64));
  expect_same(SmoothL1Loss()(x, y), smooth_l1_loss(x, y, 1));
  expect_same(HuberLoss()(x, y), huber_loss(x, y, 1));
  expect_same(HingeEmbeddingLoss()(abs(x), all), hinge_embedding_loss(abs(x), all, 1));
  expect_same(CosineEmbeddingLoss()(x, y, signs), cosine_embedding_loss(x, y, signs, 0));
}

TEST(Defaults, OfBeginnings) {
  const auto begun = [](auto fill) {
    const Tensor x = zeros({7, 5});
    manual_seed(9);
    fill(x);
    return x;
  };
  using T = const Tensor&;
  expect_same(begun([](T x) { uniform_(x); }), begun([](T x) { uniform_(x, 0, 1); }));
  expect_same(begun([](T x) { normal_(x); }), begun([](T x) { normal_(x, 0, 1); }));
  expect_same(begun([](T x) { xavier_uniform_(x); }), begun([](T x) { xavier_uniform_(x, 1); }));
  expect_same(begun([](T x) { xavier_normal_(x); }), begun([](T x) { xavier_normal_(x, 1); }));
  expect_same(begun([](T x) { kaiming_uniform_(x); }),
              begun([](T x) { kaiming_uniform_(x, 0, Fan::in); }));
  expect_same(begun([](T x) { kaiming_normal_(x); }),
              begun([](T x) { kaiming_normal_(x, 0, Fan::in); }));
  expect_same(begun([](T x) { orthogonal_(x); }), begun([](T x) { orthogonal_(x, 1); }));
}

TEST(Defaults, OfLayersThatLearn) {
  for (const Tensor& weight :
       {LayerNorm(4).weight, LayerNorm({6, 4}).weight, LayerNorm(Shape{6, 4}).weight,
        RMSNorm(4).weight, RMSNorm({6, 4}).weight, RMSNorm(Shape{6, 4}).weight,
        GroupNorm(2, 6).weight, BatchNorm1d(5, 1e-3).weight, BatchNorm2d(5, 1e-3).weight}) {
    EXPECT_TRUE(weight.defined());
  }
  const Tensor x = tensor({{1.0F}, {3.0F}});
  BatchNorm1d flat(1, 1e-3);
  BatchNorm2d map(1, 1e-3);
  flat(x);
  map(x.view({2, 1, 1, 1}));
  EXPECT_NEAR(flat.running_mean.item(), 0.2, 1e-6) << "a tenth of 2";
  EXPECT_NEAR(map.running_mean.item(), 0.2, 1e-6);
  EXPECT_EQ(Highway(3).gate.bias[2].item(), -2);
  EXPECT_EQ(Maxout(3, 5).linear.weight.shape(), (Shape{10, 3}));
  EXPECT_EQ(PReLU().weight.shape(), Shape{1});
}

TEST(Defaults, OfDistances) {
  const Tensor x = tensor({1.0, 2.0}, DType::f64), y = tensor({4.0, -2.0}, DType::f64);
  const Tensor distance = PairwiseDistance()(x, y);
  EXPECT_EQ(distance.shape(), Shape{});
  EXPECT_NEAR(distance.item(), std::sqrt((3 - 1e-6) * (3 - 1e-6) + (4 + 1e-6) * (4 + 1e-6)), 1e-14);
  const Tensor p = tensor({0.25, 0.75}, DType::f64);
  expect_same(KLDivLoss()(x, p), kl_div(x, p, Reduction::mean, false));
}

}  // namespace
}  // namespace heed::nn
