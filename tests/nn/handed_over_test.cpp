// Layers written into a Sequential, as in PyTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed {
namespace {

std::vector<std::string> names(const nn::NamedTensors& entries) {
  std::vector<std::string> out;
  for (const auto& entry : entries) out.push_back(entry.first);
  return out;
}

TEST(HandedOver, LayersKeepTheirParameters) {
  nn::Sequential written(nn::Linear(3, 5), nn::ReLU(), nn::Linear(5, 2));
  nn::Sequential made(nn::layer<nn::Linear>(3, 5), relu, nn::layer<nn::Linear>(5, 2));
  EXPECT_EQ(names(written.state_dict()), names(made.state_dict()));
  made.load_state_dict(written.state_dict());
  const Tensor x = randn({7, 3});
  EXPECT_EQ(written(x).array().to_vector<float>(), made(x).array().to_vector<float>());
  sum(written.forward(x)).backward();
  for (const Tensor& parameter : written.parameters()) EXPECT_TRUE(parameter.grad().defined());
  EXPECT_EQ(written.at<nn::Linear>(2).weight.shape(), (Shape{2, 5}));
  EXPECT_TRUE(written.at<nn::Linear>(0).weight.is_same(written.parameters()[0]));
}

TEST(HandedOver, EveryKindOfLayer) {
  nn::Sequential net(nn::Conv2d(1, 4, 3, 1, 1), nn::BatchNorm2d(4), gelu, nn::MaxPool2d(2),
                     nn::Dropout2d(0.1), nn::ConvTranspose2d(4, 3, 2, 2),
                     nn::Upsample({.scale = 2}), nn::Flatten(),
                     nn::Sequential(nn::Linear(3 * 12 * 12, 5), nn::Identity()), nn::LayerNorm(5),
                     nn::LogSoftmax(-1));
  EXPECT_EQ(net(randn({2, 1, 6, 6})).shape(), (Shape{2, 5}));
  net.eval();
  net.push_back(nn::Linear(5, 7));
  net.append([](const Tensor& x) { return 2 * x; });
  EXPECT_EQ(net(randn({2, 1, 6, 6})).shape(), (Shape{2, 7}));
  EXPECT_THAT(names(net.named_buffers()),
              testing::ElementsAre("1.running_mean", "1.running_var", "1.num_batches_tracked"));
  EXPECT_FALSE(net.at<nn::Dropout2d>(4).training());
}

TEST(HandedOver, KeepsHooksAndModes) {
  nn::Linear layer(3, 2);
  int calls = 0;
  layer.register_forward_hook([&](const nn::Module&, const Tensor&) -> Tensor {
    ++calls;
    return {};
  });
  layer.eval();
  nn::Sequential inner(nn::Linear(3, 3));
  inner(zeros({1, 3}));
  layer(zeros({1, 3}));
  EXPECT_EQ(calls, 1);
  const nn::Sequential outer(std::move(layer));
  outer(zeros({1, 3}));
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(outer.at<nn::Linear>(0).training());
  EXPECT_TRUE(outer.training());
}

TEST(HandedOver, OptionsInBracesMakeAChild) {
  class Reader : public nn::Module {
   public:
    nn::LSTM& encoder = child<nn::LSTM>("encoder", {.input = 3, .hidden = 5});
    nn::MaxPool2d& pool = child<nn::MaxPool2d>("pool", {.kernel = 2});
  };
  Reader reader;
  EXPECT_EQ(reader.encoder(zeros({2, 7, 3})).output.shape(), (Shape{2, 7, 5}));
  EXPECT_EQ(reader.encoder.forward(zeros({2, 7, 3})).h_n.shape(), (Shape{1, 2, 5}));
}

TEST(HandedOver, ForwardIsTheCall) {
  const nn::Linear layer(3, 2);
  const Tensor x = randn({5, 3});
  EXPECT_EQ(layer.forward(x).array().to_vector<float>(), layer(x).array().to_vector<float>());
  const nn::WeightNormLinear normed(3, 2);
  EXPECT_ERROR_WITH(GradError, "forward: WeightNormLinear is derived from a layer",
                    normed.forward(x));
}

// Its operator() forgets forwarded().
class Silent : public nn::Module {
 public:
  nn::Linear& out = child<nn::Linear>("out", 3, 2);
  Tensor operator()(const Tensor& x) const { return out(x); }
};
class Heard : public nn::Module {
 public:
  nn::Linear& out = child<nn::Linear>("out", 3, 2);
  Tensor operator()(const Tensor& x) const { return forwarded(out(x)); }
};

const nn::ForwardHook kLook = [](const nn::Module&, const Tensor&) -> Tensor { return {}; };

TEST(SilentHook, IsRefusedWhereGradientsCome) {
  Silent model;
  model.register_forward_hook(kLook);
  const Tensor loss = sum(model(randn({5, 3})));
  EXPECT_ERROR(GradError,
               "register_forward_hook: Silent ran and its hook was not called: end operator() with "
               "`return forwarded(...)`",
               loss.backward());
}

TEST(SilentHook, IsRefusedWhereTheModeChanges) {
  Silent model;
  const HookId id = model.register_forward_hook(kLook);
  model.eval();
  model(randn({5, 3}));
  EXPECT_THROW(model.train(), GradError);
  model.remove_hook(id);
  model.train();
  sum(model(randn({5, 3}))).backward();
}

TEST(SilentHook, IsNoneWhereItWasCalled) {
  Heard model;
  const Tensor before = sum(model(randn({5, 3})));
  model.register_forward_hook(kLook);
  before.backward();  // of a call that nobody had hooked
  sum(model(randn({5, 3}))).backward();
  model.eval();
}

}  // namespace
}  // namespace heed
