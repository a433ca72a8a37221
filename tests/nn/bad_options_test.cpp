// What a layer can refuse before it sees an x, its constructor refuses, in its own name.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "thrown_text.h"

namespace heed {
namespace {

struct Refusal {
  std::function<void()> make;
  std::string text;
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Thrown>
void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    const auto before = default_generator().state().offset;
    EXPECT_EQ(thrown_text<Thrown>(refusal.make), refusal.text);
    EXPECT_EQ(default_generator().state().offset, before) << refusal.text;
  }
}

TEST(BadOptions, OfConvolutions) {
  using nn::Conv1d, nn::Conv2d;
  expect_refused<ValueError>({
      {[] { Conv1d(3, 5, 0); }, "Conv1d: kernel must be positive, not 0"},
      {[] { Conv1d(3, 5, 2, {.stride = 0}); }, "Conv1d: stride must be positive, not 0"},
      {[] { Conv1d(3, 5, 2, {.padding = -1}); }, "Conv1d: padding must not be negative: -1"},
      {[] { Conv1d(3, 5, 2, {.dilation = 0}); }, "Conv1d: dilation must be positive, not 0"},
      {[] { Conv1d(3, 5, 2, {.groups = 0}); },
       "Conv1d: channels must be positive and multiples of groups: in 3, out 5, groups 0"},
      {[] { Conv1d(4, 6, 2, {.groups = 4}); },
       "Conv1d: channels must be positive and multiples of groups: in 4, out 6, groups 4"},
      {[] { Conv1d(3, 5, 2, {.stride = 2, .same = true}); },
       "Conv1d: same goes with stride 1 and padding 0, not with stride 2 and padding 0"},
      {[] {
         Conv2d(3, 5, {2, -3});
       },
       "Conv2d: kernel must be positive, not -3"},
      {[] {
         Conv2d(3, 5, 2, {.stride = {0, 1}});
       },
       "Conv2d: stride must be positive, not 0"},
      {[] {
         Conv2d(3, 5, 2, {.stride = {1, -2}});
       },
       "Conv2d: stride must be positive, not -2"},
      {[] {
         Conv2d(3, 5, 2, {.padding = {0, -1}});
       },
       "Conv2d: padding must not be negative: -1"},
      {[] {
         Conv2d(3, 5, 2, {.dilation = {1, 0}});
       },
       "Conv2d: dilation must be positive, not 0"},
      {[] { Conv2d(3, -5, 2); },
       "Conv2d: channels must be positive and multiples of groups: in 3, out -5, groups 1"},
      {[] {
         Conv2d(3, 5, 2, {.padding = {0, 1}, .same = true});
       },
       "Conv2d: same goes with stride 1 and padding 0, not with stride 1 and padding 1"},
  });
}

TEST(BadOptions, OfPoolings) {
  expect_refused<ValueError>({
      {[] { nn::MaxPool1d({}); }, "MaxPool1d: kernel must be positive, not 0"},
      {[] { nn::MaxPool1d({.kernel = 2, .stride = 0}); },
       "MaxPool1d: stride must be positive, not 0"},
      {[] { nn::MaxPool1d({.kernel = 2, .padding = -1}); },
       "MaxPool1d: padding must not be negative: -1"},
      {[] { nn::MaxPool1d({.kernel = 3, .padding = 2}); },
       "MaxPool1d: padding 2 is more than half of kernel 3"},
      {[] { nn::MaxPool1d({.kernel = 2, .dilation = 0}); },
       "MaxPool1d: dilation must be positive, not 0"},
      {[] {
         nn::MaxPool2d({.kernel = {2, 0}});
       },
       "MaxPool2d: kernel must be positive, not 0"},
      {[] {
         nn::MaxPool2d({.kernel = 2, .stride = Pair{1, 0}});
       },
       "MaxPool2d: stride must be positive, not 0"},
      {[] {
         nn::MaxPool2d({.kernel = 2, .padding = {-1, 0}});
       },
       "MaxPool2d: padding must not be negative: -1"},
      {[] {
         nn::MaxPool2d({.kernel = {5, 2}, .padding = 2});
       },
       "MaxPool2d: padding 2 is more than half of kernel 2"},
      {[] {
         nn::MaxPool2d({.kernel = 2, .dilation = {1, 0}});
       },
       "MaxPool2d: dilation must be positive, not 0"},
      {[] { nn::AvgPool1d({.kernel = -2}); }, "AvgPool1d: kernel must be positive, not -2"},
      {[] { nn::AvgPool1d({.kernel = 2, .stride = 0}); },
       "AvgPool1d: stride must be positive, not 0"},
      {[] { nn::AvgPool1d({.kernel = 2, .padding = 2}); },
       "AvgPool1d: padding 2 is more than half of kernel 2"},
      {[] {
         nn::AvgPool2d({.kernel = {0, 2}});
       },
       "AvgPool2d: kernel must be positive, not 0"},
      {[] {
         nn::AvgPool2d({.kernel = 2, .stride = Pair{0, 1}});
       },
       "AvgPool2d: stride must be positive, not 0"},
      {[] {
         nn::AvgPool2d({.kernel = 2, .padding = {0, -1}});
       },
       "AvgPool2d: padding must not be negative: -1"},
      {[] { nn::AdaptiveAvgPool1d(-1); },
       "AdaptiveAvgPool1d: the output size must not be negative: -1"},
      {[] {
         nn::AdaptiveAvgPool2d({3, -2});
       },
       "AdaptiveAvgPool2d: the output size must not be negative: -2"},
  });
}

TEST(BadOptions, OfNormalisingLayers) {
  expect_refused<ValueError>({
      {[] { nn::BatchNorm1d(0); }, "BatchNorm1d: channels 0 must be positive"},
      {[] { nn::BatchNorm1d(3, {.eps = -1}); },
       "BatchNorm1d: eps -1 is not a number of at least 0"},
      {[] { nn::BatchNorm1d(3, {.momentum = 2}); }, "BatchNorm1d: momentum 2 is not in [0, 1]"},
      {[] { nn::BatchNorm2d(-3, {.affine = false}); }, "BatchNorm2d: channels -3 must be positive"},
      {[] { nn::BatchNorm2d(3, {.momentum = kNaN}); },
       "BatchNorm2d: momentum nan is not in [0, 1]"},
      {[] { nn::GroupNorm(0, 3); }, "GroupNorm: 0 groups do not divide 3 channels"},
      {[] { nn::GroupNorm(2, 3, 1e-5, false); }, "GroupNorm: 2 groups do not divide 3 channels"},
      {[] { nn::GroupNorm(1, 3, kNaN); }, "GroupNorm: eps nan is not a number of at least 0"},
      {[] { nn::LayerNorm({3}, -1); }, "LayerNorm: eps -1 is not a number of at least 0"},
      {[] { nn::RMSNorm({3}, kInfinity, false); },
       "RMSNorm: eps inf is not a number of at least 0"},
  });
  expect_refused<ShapeError>({
      {[] { nn::LayerNorm(Shape{}); }, "LayerNorm: the shape needs an axis"},
      {[] { nn::RMSNorm(Shape{}, 1e-5, false); }, "RMSNorm: the shape needs an axis"},
  });
}

TEST(BadOptions, OfLayersWithWeights) {
  expect_refused<ValueError>({
      {[] { nn::Linear(0, 3); }, "Linear: widths must be positive: in 0, out 3"},
      {[] { nn::Bilinear(2, 3, -1); }, "Bilinear: widths must be positive: in 2 and 3, out -1"},
      {[] { nn::Embedding(0, 3); }, "Embedding: sizes must be positive: count 0, width 3"},
      {[] { nn::Embedding({.count = 5, .width = 3, .padding = 5}); },
       "Embedding: padding 5 is not in [-1, 5)"},
      {[] { nn::Highway(0); }, "Highway: width 0 must be positive"},
      {[] { nn::Highway(3, kNaN); }, "Highway: gate_bias nan is not finite"},
      {[] { nn::Maxout(0, 3); }, "Maxout: in 0, out 3 and pieces 2 must be positive"},
      {[] { nn::Maxout(2, 3, 0); }, "Maxout: in 2, out 3 and pieces 0 must be positive"},
      {[] { nn::PReLU(0); }, "PReLU: count 0 must be positive"},
      {[] { nn::PReLU(1, kInfinity); }, "PReLU: begin inf is not finite"},
      {[] { nn::RNNCell(0, 3); }, "RNNCell: input 0 and hidden 3 must be positive"},
      {[] { nn::GRUCell(3, 0); }, "GRUCell: input 3 and hidden 0 must be positive"},
      {[] { nn::LSTMCell(3, -1); }, "LSTMCell: input 3 and hidden -1 must be positive"},
      {[] { nn::RNN({.input = 3, .hidden = 0}); },
       "RNN: input 3, hidden 0 and layers 1 must be positive"},
      {[] { nn::GRU({.input = 3, .hidden = 2, .layers = -1}); },
       "GRU: input 3, hidden 2 and layers -1 must be positive"},
      {[] { nn::LSTM({.input = 3, .hidden = 2, .dropout = kNaN}); },
       "LSTM: dropout nan is not in [0, 1]"},
  });
}

TEST(BadOptions, OfLayersWithoutWeights) {
  expect_refused<ValueError>({
      {[] { nn::Dropout{kNaN}; }, "Dropout: p nan is not in [0, 1]"},
      {[] { nn::Function({}); }, "Function: the function is empty"},
      {[] { nn::GLU{kMaxRank}; }, "GLU: axis 8 is not in [-8, 8)"},
      {[] { nn::GLU(-kMaxRank - 1); }, "GLU: axis -9 is not in [-8, 8)"},
      {[] { nn::PositionalEncoding(0); },
       "PositionalEncoding: width 0 and max_steps 5000 must be positive"},
      {[] { nn::PositionalEncoding(3, 0.1, -1); },
       "PositionalEncoding: width 3 and max_steps -1 must be positive"},
      {[] { nn::PositionalEncoding(3, 2); }, "PositionalEncoding: p 2 is not in [0, 1]"},
  });
}

TEST(BadOptions, OfLosses) {
  expect_refused<ValueError>({
      {[] { nn::CrossEntropyLoss({.label_smoothing = 1.5}); },
       "CrossEntropyLoss: label_smoothing 1.5 is not in [0, 1]"},
      {[] {
         nn::CrossEntropyLoss({.weight = ones({2, 3})});
       },
       "CrossEntropyLoss: weight must be [C], not f32[2, 3]"},
      {[] { nn::NLLLoss({.weight = tensor(1.0)}); }, "NLLLoss: weight must be [C], not f32[]"},
      {[] { nn::SmoothL1Loss(-1); }, "SmoothL1Loss: beta -1 must be finite and not negative"},
      {[] { nn::HingeEmbeddingLoss{kNaN}; }, "HingeEmbeddingLoss: margin nan is not finite"},
      {[] { nn::CosineEmbeddingLoss{kInfinity}; }, "CosineEmbeddingLoss: margin inf is not finite"},
      {[] { nn::MultiMarginLoss({.p = 3}); }, "MultiMarginLoss: p must be 1 or 2, not 3"},
      {[] { nn::MultiMarginLoss({.margin = kNaN}); }, "MultiMarginLoss: margin nan is not finite"},
      {[] {
         nn::MultiMarginLoss({.weight = ones({3, 1})});
       },
       "MultiMarginLoss: weight must be [C], not f32[3, 1]"},
      {[] { nn::CTCLoss({.blank = -1}); }, "CTCLoss: blank -1 must not be negative"},
  });
  const Tensor counts = ones({3}, DType::i64);
  expect_refused<DTypeError>({
      {[&] { nn::CrossEntropyLoss({.weight = counts}); },
       "CrossEntropyLoss: weight: takes f32 or f64, not i64"},
      {[&] { nn::BCEWithLogitsLoss({.pos_weight = counts}); },
       "BCEWithLogitsLoss: pos_weight: takes f32 or f64, not i64"},
  });
}

}  // namespace
}  // namespace heed
