// What a layer can refuse before it sees an x, its constructor refuses, in its own name.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is refused has drawn no number.
class BadOptions : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(default_generator().state().offset, before_); }

 private:
  std::uint64_t before_ = default_generator().state().offset;
};

TEST_F(BadOptions, OfConvolutions) {
  using nn::Conv1d, nn::Conv2d, nn::Conv3d;
  EXPECT_ERROR(ValueError, "Conv1d: kernel must be positive, not 0", Conv1d(3, 5, 0));
  EXPECT_ERROR(ValueError, "Conv1d: stride must be positive, not 0",
               Conv1d(3, 5, 2, {.stride = 0}));
  EXPECT_ERROR(ValueError, "Conv1d: padding must not be negative: -1",
               Conv1d(3, 5, 2, {.padding = -1}));
  EXPECT_ERROR(ValueError, "Conv1d: dilation must be positive, not 0",
               Conv1d(3, 5, 2, {.dilation = 0}));
  EXPECT_ERROR(ValueError,
               "Conv1d: channels must be positive and multiples of groups: in 3, out 5, groups 0",
               Conv1d(3, 5, 2, {.groups = 0}));
  EXPECT_ERROR(ValueError,
               "Conv1d: channels must be positive and multiples of groups: in 4, out 6, groups 4",
               Conv1d(4, 6, 2, {.groups = 4}));
  EXPECT_ERROR(ValueError,
               "Conv1d: same goes with stride 1 and padding 0, not with stride 2 and padding 0",
               Conv1d(3, 5, 2, {.stride = 2, .same = true}));
  EXPECT_ERROR(ValueError,
               "Conv1d: channels must be positive and multiples of groups: in 6, out 4, groups 3",
               Conv1d(6, 4, 2, {.groups = 3}));
  EXPECT_ERROR(ValueError,
               "Conv1d: channels must be positive and multiples of groups: in 0, out 4, groups 1",
               Conv1d(0, 4, 2));
  EXPECT_ERROR(ValueError, "Conv2d: kernel must be positive, not -3", Conv2d(3, 5, {2, -3}));
  EXPECT_ERROR(ValueError, "Conv2d: stride must be positive, not 0",
               Conv2d(3, 5, 2, {.stride = {0, 1}}));
  EXPECT_ERROR(ValueError, "Conv2d: stride must be positive, not -2",
               Conv2d(3, 5, 2, {.stride = {1, -2}}));
  EXPECT_ERROR(ValueError, "Conv2d: padding must not be negative: -1",
               Conv2d(3, 5, 2, {.padding = {0, -1}}));
  EXPECT_ERROR(ValueError, "Conv2d: dilation must be positive, not 0",
               Conv2d(3, 5, 2, {.dilation = {1, 0}}));
  EXPECT_ERROR(ValueError,
               "Conv2d: channels must be positive and multiples of groups: in 3, out -5, groups 1",
               Conv2d(3, -5, 2));
  EXPECT_ERROR(ValueError,
               "Conv2d: same goes with stride 1 and padding 0, not with stride 1 and padding 1",
               Conv2d(3, 5, 2, {.padding = {0, 1}, .same = true}));
  EXPECT_ERROR(ValueError, "Conv3d: kernel must be positive, not 0", Conv3d(3, 5, {0, 2, 2}));
  EXPECT_ERROR(ValueError, "Conv3d: stride must be positive, not 0",
               Conv3d(3, 5, 2, {.stride = {1, 0, 1}}));
  EXPECT_ERROR(ValueError, "Conv3d: padding must not be negative: -1",
               Conv3d(3, 5, 2, {.padding = {0, 0, -1}}));
  EXPECT_ERROR(ValueError,
               "Conv3d: channels must be positive and multiples of groups: in 3, out 5, groups 2",
               Conv3d(3, 5, 2, {.groups = 2}));
}

TEST_F(BadOptions, OfTransposedConvolutions) {
  using nn::ConvTranspose1d, nn::ConvTranspose2d;
  EXPECT_ERROR(
      ValueError,
      "ConvTranspose1d: channels must be positive and multiples of groups: in 0, out 5, groups 1",
      ConvTranspose1d(0, 5, 2));
  EXPECT_ERROR(
      ValueError,
      "ConvTranspose1d: channels must be positive and multiples of groups: in 3, out 0, groups 1",
      ConvTranspose1d(3, 0, 2));
  EXPECT_ERROR(
      ValueError,
      "ConvTranspose1d: channels must be positive and multiples of groups: in 3, out 5, groups 0",
      ConvTranspose1d(3, 5, 2, {.groups = 0}));
  EXPECT_ERROR(
      ValueError,
      "ConvTranspose2d: channels must be positive and multiples of groups: in 3, out 4, groups 2",
      ConvTranspose2d(3, 4, 2, {.groups = 2}));
  EXPECT_ERROR(
      ValueError,
      "ConvTranspose2d: channels must be positive and multiples of groups: in 4, out 3, groups 2",
      ConvTranspose2d(4, 3, 2, {.groups = 2}));
  EXPECT_ERROR(ValueError, "ConvTranspose1d: kernel 0 must be positive", ConvTranspose1d(3, 5, 0));
  EXPECT_ERROR(ValueError, "ConvTranspose2d: kernel -1 must be positive",
               ConvTranspose2d(3, 5, {2, -1}));
}

TEST_F(BadOptions, OfPoolings) {
  EXPECT_ERROR(ValueError, "MaxPool1d: kernel must be positive, not 0", nn::MaxPool1d({}));
  EXPECT_ERROR(ValueError, "MaxPool1d: stride must be positive, not 0",
               nn::MaxPool1d({.kernel = 2, .stride = 0}));
  EXPECT_ERROR(ValueError, "MaxPool1d: padding must not be negative: -1",
               nn::MaxPool1d({.kernel = 2, .padding = -1}));
  EXPECT_ERROR(ValueError, "MaxPool1d: padding 2 is more than half of kernel 3",
               nn::MaxPool1d({.kernel = 3, .padding = 2}));
  EXPECT_ERROR(ValueError, "MaxPool1d: dilation must be positive, not 0",
               nn::MaxPool1d({.kernel = 2, .dilation = 0}));
  EXPECT_ERROR(ValueError, "MaxPool2d: kernel must be positive, not 0",
               nn::MaxPool2d({.kernel = {2, 0}}));
  EXPECT_ERROR(ValueError, "MaxPool2d: stride must be positive, not 0",
               nn::MaxPool2d({.kernel = 2, .stride = PerAxis{1, 0}}));
  EXPECT_ERROR(ValueError, "MaxPool2d: padding must not be negative: -1",
               nn::MaxPool2d({.kernel = 2, .padding = {-1, 0}}));
  EXPECT_ERROR(ValueError, "MaxPool2d: padding 2 is more than half of kernel 2",
               nn::MaxPool2d({.kernel = {5, 2}, .padding = 2}));
  EXPECT_ERROR(ValueError, "MaxPool2d: dilation must be positive, not 0",
               nn::MaxPool2d({.kernel = 2, .dilation = {1, 0}}));
  EXPECT_ERROR(ValueError, "AvgPool1d: kernel must be positive, not -2",
               nn::AvgPool1d({.kernel = -2}));
  EXPECT_ERROR(ValueError, "AvgPool1d: stride must be positive, not 0",
               nn::AvgPool1d({.kernel = 2, .stride = 0}));
  EXPECT_ERROR(ValueError, "AvgPool1d: padding 2 is more than half of kernel 2",
               nn::AvgPool1d({.kernel = 2, .padding = 2}));
  EXPECT_ERROR(ValueError, "AvgPool2d: kernel must be positive, not 0",
               nn::AvgPool2d({.kernel = {0, 2}}));
  EXPECT_ERROR(ValueError, "AvgPool2d: stride must be positive, not 0",
               nn::AvgPool2d({.kernel = 2, .stride = PerAxis{0, 1}}));
  EXPECT_ERROR(ValueError, "AvgPool2d: padding must not be negative: -1",
               nn::AvgPool2d({.kernel = 2, .padding = {0, -1}}));
  EXPECT_ERROR(ValueError, "AdaptiveAvgPool1d: the output size must not be negative: -1",
               nn::AdaptiveAvgPool1d(-1));
  EXPECT_ERROR(ValueError, "AdaptiveAvgPool2d: the output size must not be negative: -2",
               nn::AdaptiveAvgPool2d({3, -2}));
}

TEST_F(BadOptions, OfNormalisingLayers) {
  EXPECT_ERROR(ValueError, "BatchNorm1d: channels 0 must be positive", nn::BatchNorm1d(0));
  EXPECT_ERROR(ValueError, "BatchNorm1d: eps -1 is not a number of at least 0",
               nn::BatchNorm1d(3, {.eps = -1}));
  EXPECT_ERROR(ValueError, "BatchNorm1d: momentum 2 is not in [0, 1]",
               nn::BatchNorm1d(3, {.momentum = 2}));
  EXPECT_ERROR(ValueError, "BatchNorm2d: channels -3 must be positive",
               nn::BatchNorm2d(-3, {.affine = false}));
  EXPECT_ERROR(ValueError, "BatchNorm2d: momentum nan is not in [0, 1]",
               nn::BatchNorm2d(3, {.momentum = kNaN}));
  EXPECT_ERROR(ValueError, "GroupNorm: 0 groups do not divide 3 channels", nn::GroupNorm(0, 3));
  EXPECT_ERROR(ValueError, "GroupNorm: 2 groups do not divide 3 channels",
               nn::GroupNorm(2, 3, 1e-5, false));
  EXPECT_ERROR(ValueError, "GroupNorm: eps nan is not a number of at least 0",
               nn::GroupNorm(1, 3, kNaN));
  EXPECT_ERROR(ValueError, "LayerNorm: eps -1 is not a number of at least 0",
               nn::LayerNorm({3}, -1));
  EXPECT_ERROR(ValueError, "RMSNorm: eps inf is not a number of at least 0",
               nn::RMSNorm({3}, kInfinity, false));
  EXPECT_ERROR_WITH(ShapeError, "LayerNorm: ", nn::LayerNorm({3, -1}));
  EXPECT_ERROR_WITH(ShapeError, "LayerNorm: ", nn::LayerNorm({3, -1}, 1e-5, false));
  EXPECT_ERROR_WITH(ShapeError, "RMSNorm: ", nn::RMSNorm({-2}, 1e-5, false));
  EXPECT_ERROR(ShapeError, "LayerNorm: the shape needs an axis", nn::LayerNorm(Shape{}));
  EXPECT_ERROR(ShapeError, "RMSNorm: the shape needs an axis", nn::RMSNorm(Shape{}, 1e-5, false));
}

TEST_F(BadOptions, OfLayersWithWeights) {
  EXPECT_ERROR(ValueError, "Linear: widths must be positive: in 0, out 3", nn::Linear(0, 3));
  EXPECT_ERROR(ValueError, "Bilinear: widths must be positive: in 2 and 3, out -1",
               nn::Bilinear(2, 3, -1));
  EXPECT_ERROR(ValueError, "Embedding: sizes must be positive: count 0, width 3",
               nn::Embedding(0, 3));
  EXPECT_ERROR(ValueError, "Embedding: padding 5 is not in [-1, 5)",
               nn::Embedding({.count = 5, .width = 3, .padding = 5}));
  EXPECT_ERROR(ValueError, "Bilinear: widths must be positive: in 0 and 3, out 2",
               nn::Bilinear(0, 3, 2));
  EXPECT_ERROR(ValueError, "Highway: width 0 must be positive", nn::Highway(0));
  EXPECT_ERROR(ValueError, "Highway: gate_bias nan is not finite", nn::Highway(3, kNaN));
  EXPECT_ERROR(ValueError, "Maxout: in 0, out 3 and pieces 2 must be positive", nn::Maxout(0, 3));
  EXPECT_ERROR(ValueError, "Maxout: in 2, out 3 and pieces 0 must be positive",
               nn::Maxout(2, 3, 0));
  EXPECT_ERROR(ValueError, "Maxout: in 2, out 0 and pieces 2 must be positive", nn::Maxout(2, 0));
  EXPECT_ERROR(ValueError, "PReLU: count 0 must be positive", nn::PReLU(0));
  EXPECT_ERROR(ValueError, "PReLU: begin inf is not finite", nn::PReLU(1, kInfinity));
  EXPECT_ERROR(ValueError, "RNNCell: input 0 and hidden 3 must be positive", nn::RNNCell(0, 3));
  EXPECT_ERROR(ValueError, "GRUCell: input 3 and hidden 0 must be positive", nn::GRUCell(3, 0));
  EXPECT_ERROR(ValueError, "LSTMCell: input 3 and hidden -1 must be positive", nn::LSTMCell(3, -1));
  EXPECT_ERROR(ValueError, "RNN: input 3, hidden 0 and layers 1 must be positive",
               nn::RNN({.input = 3, .hidden = 0}));
  EXPECT_ERROR(ValueError, "RNN: input 0, hidden 3 and layers 1 must be positive",
               nn::RNN({.input = 0, .hidden = 3}));
  EXPECT_ERROR(ValueError, "GRU: input 3, hidden 2 and layers -1 must be positive",
               nn::GRU({.input = 3, .hidden = 2, .layers = -1}));
  EXPECT_ERROR(ValueError, "LSTM: dropout nan is not in [0, 1]",
               nn::LSTM({.input = 3, .hidden = 2, .dropout = kNaN}));
}

TEST_F(BadOptions, OfLayersWithoutWeights) {
  EXPECT_ERROR(ValueError, "Dropout: p nan is not in [0, 1]", nn::Dropout{kNaN});
  EXPECT_ERROR(ValueError, "Dropout2d: p nan is not in [0, 1]", nn::Dropout2d{kNaN});
  EXPECT_ERROR(ValueError, "Dropout2d: p -0.5 is not in [0, 1]", nn::Dropout2d{-0.5});
  EXPECT_ERROR(ValueError, "Dropout2d: p 1.5 is not in [0, 1]", nn::Dropout2d{1.5});
  EXPECT_ERROR(ValueError, "Function: the function is empty", nn::Function({}));
  EXPECT_ERROR(ValueError, "GLU: axis 8 is not in [-8, 8)", nn::GLU{kMaxRank});
  EXPECT_ERROR(ValueError, "GLU: axis -9 is not in [-8, 8)", nn::GLU(-kMaxRank - 1));
  EXPECT_ERROR(ValueError, "PositionalEncoding: width 0 and max_steps 5000 must be positive",
               nn::PositionalEncoding(0));
  EXPECT_ERROR(ValueError, "PositionalEncoding: width 3 and max_steps -1 must be positive",
               nn::PositionalEncoding(3, 0.1, -1));
  EXPECT_ERROR(ValueError, "PositionalEncoding: p 2 is not in [0, 1]",
               nn::PositionalEncoding(3, 2));
  EXPECT_ERROR(ValueError, "PositionalEncoding: p -0.1 is not in [0, 1]",
               nn::PositionalEncoding(3, -0.1));
  EXPECT_ERROR(ValueError, "PositionalEncoding: width 3 and max_steps 0 must be positive",
               nn::PositionalEncoding(3, 0.1, 0));
}

TEST_F(BadOptions, OfLosses) {
  EXPECT_ERROR(ValueError, "CrossEntropyLoss: label_smoothing 1.5 is not in [0, 1]",
               nn::CrossEntropyLoss({.label_smoothing = 1.5}));
  EXPECT_ERROR(ValueError, "CrossEntropyLoss: weight must be [C], not f32[2, 3]",
               nn::CrossEntropyLoss({.weight = ones({2, 3})}));
  EXPECT_ERROR(ValueError, "NLLLoss: weight must be [C], not f32[]",
               nn::NLLLoss({.weight = tensor(1.0)}));
  EXPECT_ERROR(ValueError, "SmoothL1Loss: beta -1 must be finite and not negative",
               nn::SmoothL1Loss(-1));
  EXPECT_ERROR(ValueError, "CrossEntropyLoss: label_smoothing -0.5 is not in [0, 1]",
               nn::CrossEntropyLoss({.label_smoothing = -0.5}));
  EXPECT_ERROR(ValueError, "SmoothL1Loss: beta inf must be finite and not negative",
               nn::SmoothL1Loss{kInfinity});
  EXPECT_ERROR(ValueError, "HuberLoss: delta 0 must be positive and finite", nn::HuberLoss(0));
  EXPECT_ERROR(ValueError, "HuberLoss: delta inf must be positive and finite",
               nn::HuberLoss{kInfinity});
  EXPECT_ERROR(ValueError, "MarginRankingLoss: margin inf is not finite",
               nn::MarginRankingLoss{kInfinity});
  EXPECT_ERROR(ValueError, "TripletMarginLoss: margin nan is not finite",
               nn::TripletMarginLoss{kNaN});
  EXPECT_ERROR(ValueError, "HingeEmbeddingLoss: margin nan is not finite",
               nn::HingeEmbeddingLoss{kNaN});
  EXPECT_ERROR(ValueError, "CosineEmbeddingLoss: margin inf is not finite",
               nn::CosineEmbeddingLoss{kInfinity});
  EXPECT_ERROR(ValueError, "MultiMarginLoss: p must be 1 or 2, not 3",
               nn::MultiMarginLoss({.p = 3}));
  EXPECT_ERROR(ValueError, "MultiMarginLoss: margin nan is not finite",
               nn::MultiMarginLoss({.margin = kNaN}));
  EXPECT_ERROR(ValueError, "MultiMarginLoss: weight must be [C], not f32[3, 1]",
               nn::MultiMarginLoss({.weight = ones({3, 1})}));
  EXPECT_ERROR(ValueError, "CTCLoss: blank -1 must not be negative", nn::CTCLoss({.blank = -1}));
  const Tensor counts = ones({3}, DType::i64);
  EXPECT_ERROR(DTypeError, "CrossEntropyLoss: weight: takes f32 or f64, not i64",
               nn::CrossEntropyLoss({.weight = counts}));
  EXPECT_ERROR(DTypeError, "BCEWithLogitsLoss: pos_weight: takes f32 or f64, not i64",
               nn::BCEWithLogitsLoss({.pos_weight = counts}));
}

// What stands at the end of a range is within it.
TEST(GoodOptions, TheLastOnesOfARange) {
  EXPECT_EQ(nn::GLU(-kMaxRank)(ones({2, 1, 1, 1, 1, 1, 1, 1})).shape()[0], 1);
  EXPECT_EQ(nn::GLU(kMaxRank - 1)(ones({1, 1, 1, 1, 1, 1, 1, 2})).shape()[7], 1);
  EXPECT_EQ(nn::AdaptiveAvgPool1d(0).out(), 0);
  EXPECT_EQ(nn::AdaptiveAvgPool2d({0, 3}).out().y, 0);
  EXPECT_EQ(nn::AdaptiveAvgPool2d({2, 3}).out().x, 3);
  EXPECT_EQ(nn::MaxPool1d({.kernel = 3, .padding = 1}).options().padding, 1);
  EXPECT_EQ(nn::AvgPool1d({.kernel = 2, .padding = 1}).options().kernel, 2);
  EXPECT_EQ(nn::MaxPool2d({.kernel = {5, 1}, .padding = {2, 0}}).options().padding.y, 2);
  EXPECT_EQ(nn::AvgPool2d({.kernel = {1, 5}, .padding = {0, 2}}).options().padding.x, 2);
  for (const double p : {0.0, 1.0}) {
    EXPECT_EQ(nn::Dropout(p).p(), p);
    EXPECT_NO_THROW(nn::Dropout2d{p});
    EXPECT_EQ(nn::PositionalEncoding(1, p, 1).dropout.p(), p);
    EXPECT_EQ(nn::LSTM({.input = 1, .hidden = 1, .dropout = p}).options().dropout, p);
    EXPECT_NO_THROW(nn::CrossEntropyLoss({.label_smoothing = p}));
    EXPECT_NO_THROW(nn::BatchNorm1d(1, {.eps = p, .momentum = p}));
  }
  EXPECT_NO_THROW(nn::SmoothL1Loss(0));
  EXPECT_NO_THROW(nn::CTCLoss({.blank = 0}));
  EXPECT_NO_THROW(nn::MultiMarginLoss({.p = 2}));
}

TEST(GoodOptions, OneOfEverythingIsEnough) {
  EXPECT_EQ(nn::Linear(1, 1)(ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::Bilinear(1, 1, 1)(ones({1, 1}), ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::Highway(1)(ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::Maxout(1, 1, 1)(ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::PReLU(1)(ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::GRUCell(1, 1)(ones({1, 1})).shape(), (Shape{1, 1}));
  EXPECT_EQ(nn::Conv1d(1, 1, 1)(ones({1, 1, 1})).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(nn::ConvTranspose1d(1, 1, 1)(ones({1, 1, 1})).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(nn::ConvTranspose2d(1, 1, 1)(ones({1, 1, 1, 1})).shape(), (Shape{1, 1, 1, 1}));
}

}  // namespace
}  // namespace heed
