// Layers made as PyTorch's are: sizes first, and what else there is by name or by place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using testing::ElementsAre;

TEST(LayerOptions, ByNameAfterTheSizes) {
  const Linear plain(3, 5, {.bias = false, .dtype = DType::f64});
  EXPECT_FALSE(plain.bias.defined());
  EXPECT_EQ(plain.weight.dtype(), DType::f64);
  EXPECT_EQ(plain.weight.shape(), (Shape{5, 3}));

  const Conv2d conv(2, 3, 5, {.stride = 2, .padding = {1, 3}, .bias = false});
  EXPECT_FALSE(conv.bias.defined());
  EXPECT_EQ(conv(zeros({1, 2, 11, 13})).shape(), (Shape{1, 3, 5, 8}));
  EXPECT_EQ(Conv1d(2, 3, 5, {.padding = 1})(zeros({1, 2, 7})).shape(), (Shape{1, 3, 5}));
  EXPECT_EQ(Conv3d(2, 3, 3, {.groups = 1, .same = true})(zeros({1, 2, 5, 7, 3})).shape(),
            (Shape{1, 3, 5, 7, 3}));
  const ConvTranspose2d up(2, 3, 5, {.stride = 2, .output_padding = 1, .bias = false});
  EXPECT_FALSE(up.bias.defined());
  EXPECT_EQ(up(zeros({1, 2, 3, 7})).shape(), (Shape{1, 3, 10, 18}));

  const LSTM lstm(3, 5, {.layers = 2, .bidirectional = true, .dropout = 0.1});
  EXPECT_EQ(lstm.options().input, 3);
  EXPECT_EQ(lstm.options().hidden, 5);
  EXPECT_EQ(lstm.options().layers, 2);
  EXPECT_EQ(lstm.options().dropout, 0.1);
  EXPECT_EQ(lstm(zeros({2, 7, 3})).output.shape(), (Shape{2, 7, 10}));
  EXPECT_EQ(GRU(3, 5, {.layers = 2})(zeros({2, 7, 3})).h_n.shape(), (Shape{2, 2, 5}));
  EXPECT_EQ(RNN(3, 5, {.nonlinearity = Nonlinearity::relu}).options().nonlinearity,
            Nonlinearity::relu);

  EXPECT_TRUE(LayerNorm(3, {.affine = false}).parameters().empty());
  const Tensor spread = tensor({-10.0F, 0.0F, 10.0F});
  EXPECT_NEAR(LayerNorm(3, {.eps = 100})(spread)[2].item(), 10 / std::sqrt(200.0 / 3 + 100), 1e-6);
  EXPECT_EQ(RMSNorm({3, 5}, {.dtype = DType::f64}).weight.dtype(), DType::f64);
}

TEST(LayerOptions, ByPlace) {
  const Tensor x = tensor({{1.0F}, {3.0F}});
  // The batch's moments: 2 and 1.
  BatchNorm1d norm(1, 3.0, 0.5);
  EXPECT_NEAR(norm(x)[1][0].item(), 0.5, 1e-6);
  EXPECT_NEAR(norm.running_mean.item(), 1, 1e-6);
  EXPECT_FALSE(BatchNorm2d(3, 1e-5, 0.1, false).weight.defined());
}

TEST(LayerOptions, OfPooling) {
  const Tensor x = arange(24).to(DType::f32).view({1, 1, 4, 6});
  EXPECT_EQ(MaxPool2d(2, {.stride = 1})(x).shape(), (Shape{1, 1, 3, 5}));
  EXPECT_EQ(MaxPool2d(PerAxis(2, 3))(x).shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(AvgPool2d(PerAxis(2, 3), 1)(x).shape(), (Shape{1, 1, 3, 4}));
  const AvgPool2d narrow(3, {.padding = 1, .count_include_pad = false});
  EXPECT_EQ(narrow(x)[0][0][0][0].item(), 3.5);
  EXPECT_EQ(MaxPool1d(2, {.stride = 1, .dilation = 2})(x[0][0]).shape(), (Shape{4, 4}));
  EXPECT_EQ(AvgPool1d(2, {.ceil_mode = true})(zeros({1, 5})).shape(), (Shape{1, 3}));
}

TEST(LayerOptions, OfActivationsAndLosses) {
  const Tensor x = tensor({-2.0F, 3.0F});
  EXPECT_NEAR(LeakyReLU({.negative_slope = 0.25})(x)[0].item(), -0.5, 1e-7);
  EXPECT_EQ(Dropout({.p = 0.25}).p(), 0.25);
  EXPECT_TRUE(allclose(GELU("tanh")(x), gelu(x, Gelu::tanh), 0, 0));
  EXPECT_TRUE(allclose(GELU("none")(x), gelu(x), 0, 0));
  EXPECT_ERROR(ValueError, "GELU: approximate is \"none\" or \"tanh\", not \"relu\"", GELU("relu"));
  EXPECT_EQ(MSELoss({.reduction = Reduction::sum})(x, zeros({2})).item(), 13);
  EXPECT_EQ(L1Loss({.reduction = Reduction::none})(x, zeros({2})).shape(), (Shape{2}));

  const Tensor weights = tensor({1.0F, 3.0F});
  const Tensor logits = tensor({{0.5F, -1.0F}, {2.0F, 0.25F}, {0.0F, 1.0F}});
  const Tensor targets = tensor({0, 1, 1});
  EXPECT_EQ(CrossEntropyLoss(weights)(logits, targets).item(),
            cross_entropy(logits, targets, {.weight = weights}).item());
  EXPECT_EQ(CrossEntropyLoss(weights, {.label_smoothing = 0.1})(logits, targets).item(),
            cross_entropy(logits, targets, {.weight = weights, .label_smoothing = 0.1}).item());
}

TEST(LayerOptions, OfChildren) {
  struct Net : Module {
    Linear& out = child<Linear>("out", 3, 5, {.bias = false});
    Conv2d& conv = child<Conv2d>("conv", 2, 3, 5, {.bias = false});
    LayerNorm& norm = child<LayerNorm>("norm", 7, {.affine = false});
    GRU& memory = child<GRU>("memory", 3, 5, {.bias = false});
  } net;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : net.named_parameters()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("out.weight", "conv.weight", "memory.weight_ih_l0",
                                 "memory.weight_hh_l0"));
}

TEST(LayerOptions, StatesStandBesideX) {
  const GRU gru(3, 5);
  const LSTM lstm(3, 5);
  const Tensor x = randn({2, 7, 3}), h = randn({1, 2, 5}), c = randn({1, 2, 5});
  EXPECT_TRUE(allclose(gru(x, h).output, gru(x, {}, h).output, 0, 0));
  const Tensor expected = lstm(x, {}, {h, c}).output;
  EXPECT_TRUE(allclose(lstm(x, {h, c}).output, expected, 0, 0));
  EXPECT_TRUE(allclose(lstm(x, LstmState{h, c}).output, expected, 0, 0));
  EXPECT_TRUE(allclose(lstm(x, std::make_tuple(h, c)).output, expected, 0, 0));
  EXPECT_TRUE(allclose(lstm(x, {}).output, lstm(x).output, 0, 0));
  EXPECT_ERROR(ValueError, "LSTM: the start is h0 and c0, not 3 tensors", lstm(x, {h, c, c}));
}

TEST(LayerOptions, ArrowsCallLayersAsLibtorchsHoldersDo) {
  Linear layer(3, 5);
  const Tensor x = randn({2, 3});
  EXPECT_TRUE(allclose(layer->forward(x), layer(x), 0, 0));
  EXPECT_TRUE(layer->weight.is_same(layer.weight));
  LSTM lstm(3, 5);
  EXPECT_EQ(lstm->forward(randn({2, 7, 3})).output.shape(), (Shape{2, 7, 5}));
}

TEST(LayerOptions, EmbeddingsBeginWithATable) {
  const Tensor table = randn({5, 3}, DType::f64);
  const Embedding frozen = Embedding::from_pretrained(table);
  EXPECT_FALSE(frozen.weight.requires_grad());
  EXPECT_TRUE(allclose(frozen(tensor({4, 0})), embedding(table, tensor({4, 0})), 0, 0));
  EXPECT_FALSE(frozen.weight.is_same(table));
  EXPECT_TRUE(Embedding::from_pretrained(table, false).weight.requires_grad());
  EXPECT_ERROR_WITH(ShapeError, "Embedding::from_pretrained: no matrix",
                    Embedding::from_pretrained(table[0]));
}

TEST(LayerOptions, LayersThatAreAFewOperators) {
  const Tensor x = tensor({-2.0, 0.5}, DType::f64);
  EXPECT_NEAR(CELU(0.5)(x)[0].item(), 0.5 * (std::exp(-4.0) - 1), 1e-12);
  EXPECT_EQ(CELU(0.5)(x)[1].item(), 0.5);
  EXPECT_ERROR(ValueError, "CELU: alpha must not be 0", CELU(0));
  EXPECT_EQ(Threshold(0.1, 20)(x)[0].item(), 20);
  EXPECT_EQ(Threshold(0.1, 20)(x)[1].item(), 0.5);
  EXPECT_TRUE(allclose(Softmin(0)(x), softmax(-x, 0), 0, 0));
  const Tensor map = randn({2, 3, 5, 7});
  EXPECT_TRUE(allclose(Softmax2d()(map), softmax(map, 1), 0, 0));
  EXPECT_NEAR(PairwiseDistance(1)(x, tensor({1.0, 2.5}, DType::f64)).item(), 5 - 2e-6, 1e-12);
  EXPECT_EQ(PairwiseDistance(2, 0, true)(map, map).shape(), (Shape{2, 3, 5, 1}));
}

}  // namespace
}  // namespace heed::nn
