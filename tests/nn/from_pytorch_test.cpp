// The code of docs/from_pytorch.md.
#include <gtest/gtest.h>

#include <cstdio>

#include "../../autograd/autograd.h"
#include "../../nn/nn.h"
#include "../../optim/optim.h"
#include "../structure/shown_code.h"

namespace heed {
namespace {

// [docs: model]
class Net : public nn::Module {
 public:
  nn::Linear& hidden = child<nn::Linear>("hidden", 3, 5);
  nn::LSTM& memory = child<nn::LSTM>("memory", {.input = 5, .hidden = 7});
  Tensor& gain = parameter("gain", ones({7}));
  Tensor operator()(const Tensor& x) { return forwarded(memory(relu(hidden(x))).output * gain); }
};
// [end]

TEST(FromPyTorch, Trains) {
  // [docs: training]
  nn::Sequential net(nn::Conv2d(1, 8, 3, 1, 1), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                     nn::Linear(8 * 14 * 14, 10));
  optim::AdamW optimizer(net.parameters(), 1e-3);
  for (int step = 0; step < 3; ++step) {
    const Tensor images = randn({5, 1, 28, 28});
    const Tensor labels = randint(0, 10, {5});
    const Tensor loss = cross_entropy(net(images), labels);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    const double accuracy = sum(net(images).argmax(1) == labels).item() / 5;
    std::printf("loss %.3f, accuracy %.2f\n", loss.item(), accuracy);
    EXPECT_TRUE(accuracy >= 0 && accuracy <= 1);
  }
  // [end]
}

TEST(FromPyTorch, HoldsLayersByReference) {
  Net net;
  EXPECT_EQ(net(randn({2, 11, 3})).shape(), (Shape{2, 11, 7}));
  EXPECT_EQ(net.named_parameters().size(), 7U);
}

TEST(FromPyTorch, IndexesAndWritesInPlace) {
  nn::Linear net(3, 4);
  sum(net(randn({2, 3}))).backward();
  const Tensor before = net.bias.clone().detach();
  // [docs: places]
  Tensor x = arange(12).reshape(3, 4).to(DType::f32);
  Tensor row = x[1], corner = x[{Slice(0, 2), Slice(2)}], large = x[x > 5.0];
  x[0] = 1.0;
  x[2] += row;
  {
    NoGrad scope;
    for (Tensor& p : net.parameters()) p -= 0.1 * p.grad();
  }
  // [end]
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 1, 1, 4, 5, 6, 7, 12, 14, 16, 18}));
  EXPECT_EQ(corner.to_vector<float>(), (std::vector<float>{1, 1, 6, 7}));
  EXPECT_EQ(large.to_vector<float>(), (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(allclose(net.bias.detach(), before - 0.2));
}

TEST(FromPyTorch, IsWhatThePageShows) {
  expect_shown("tests/nn/from_pytorch_test.cpp", "docs/from_pytorch.md", 20);
}

}  // namespace
}  // namespace heed
