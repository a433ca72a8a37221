// Layers against those of torch::nn. Dropout is left out (the draws differ), and so are the layers
// that torch::nn lacks; the normalising ones have a file of their own.
#include <gtest/gtest.h>

#include <map>

#include "../../autograd/ops/normalise/softmax.h"
#include "../../nn/glu.h"
#include "../../nn/losses.h"
#include "../../nn/nn.h"
#include "../../nn/prelu.h"
#include "compare_layers.h"

namespace heed::parity {
namespace {

namespace tn = torch::nn;

void linear() {
  unary(nn::Linear(3, 5), tn::Linear(3, 5), {2, 7, 3});
  unary(nn::Linear(3, 5, false), tn::Linear(tn::LinearOptions(3, 5).bias(false)), {7, 3});
}

void bilinear() {
  binary(nn::Bilinear(3, 5, 2), tn::Bilinear(3, 5, 2), {{7, 3}, {7, 5}});
  binary(nn::Bilinear(3, 5, 2, false), tn::Bilinear(tn::BilinearOptions(3, 5, 2).bias(false)),
         {{2, 7, 3}, {2, 7, 5}});
}

void embedding() {
  const std::vector<std::int64_t> words = {4, 1, 1, 0, 2, 4};
  nn::Embedding ours({.count = 5, .width = 3, .padding = 1, .sparse = false});
  tn::Embedding theirs(tn::EmbeddingOptions(5, 3).padding_idx(1));
  compare(
      ours, *theirs, {},
      [&](H) {
        return ours(ids(words, {2, 3}));
      },
      [&](T) {
        return theirs->forward(torch_ids(words, {2, 3}));
      });
}

// Two layers in both directions, then one in one without bias.
template <class Ours, class Holder, class Options>
void simple_recurrent(const Options& options) {
  for (const bool large : {true, false}) {
    Ours ours(
        {.input = 3, .hidden = 4, .layers = large ? 2 : 1, .bidirectional = large, .bias = large});
    Holder theirs(Options(options)
                      .num_layers(large ? 2 : 1)
                      .bidirectional(large)
                      .bias(large)
                      .batch_first(true));
    compare(
        ours, *theirs, {{2, 5, 3}, {large ? 4 : 1, 2, 4}},
        [&](H x) {
          const RnnResult out = ours(x[0], {}, x[1]);
          return joined({out.output, out.h_n});
        },
        [&](T x) {
          const auto [y, h] = theirs->forward(x[0], x[1]);
          return joined({y, h});
        });
  }
}

// Rows of different lengths through two layers, which libtorch packs.
void gru_of_lengths() {
  namespace rnn_utils = tn::utils::rnn;
  nn::GRU ours({.input = 3, .hidden = 4, .layers = 2, .bidirectional = true});
  tn::GRU theirs(tn::GRUOptions(3, 4).num_layers(2).bidirectional(true).batch_first(true));
  const std::vector<Index> lengths = {5, 3};
  compare(
      ours, *theirs, {{2, 5, 3}},
      [&](H x) {
        const RnnResult out = ours(x[0], lengths);
        return joined({out.output, out.h_n});
      },
      [&](T x) {
        const auto packed = rnn_utils::pack_padded_sequence(x[0], torch::tensor(lengths), true);
        const auto [y, h] = theirs->forward_with_packed_input(packed);
        return joined({std::get<0>(rnn_utils::pad_packed_sequence(y, true)), h});
      });
}

void rnn() { simple_recurrent<nn::RNN, tn::RNN>(tn::RNNOptions(3, 4)); }
void gru() {
  simple_recurrent<nn::GRU, tn::GRU>(tn::GRUOptions(3, 4));
  gru_of_lengths();
}
void lstm() {
  nn::LSTM ours({.input = 3, .hidden = 4, .layers = 2, .bidirectional = true});
  tn::LSTM theirs(tn::LSTMOptions(3, 4).num_layers(2).bidirectional(true).batch_first(true));
  compare(
      ours, *theirs, {{2, 5, 3}, {4, 2, 4}, {4, 2, 4}},
      [&](H x) {
        const LstmResult out = ours(x[0], {}, {x[1], x[2]});
        return joined({out.output, out.h_n, out.c_n});
      },
      [&](T x) {
        const auto [y, state] = theirs->forward(x[0], std::make_tuple(x[1], x[2]));
        return joined({y, std::get<0>(state), std::get<1>(state)});
      });
}

void rnn_cell() {
  binary(nn::RNNCell(3, 5), tn::RNNCell(3, 5), {{2, 3}, {2, 5}});
  binary(nn::RNNCell(3, 5, false, Nonlinearity::relu),
         tn::RNNCell(tn::RNNCellOptions(3, 5).bias(false).nonlinearity(torch::kReLU)),
         {{2, 3}, {2, 5}});
}
void gru_cell() { binary(nn::GRUCell(3, 5), tn::GRUCell(3, 5), {{2, 3}, {2, 5}}); }
void lstm_cell() {
  nn::LSTMCell ours(3, 5);
  tn::LSTMCell theirs(3, 5);
  compare(
      ours, *theirs, {{2, 3}, {2, 5}, {2, 5}},
      [&](H x) {
        const LstmState out = ours(x[0], {x[1], x[2]});
        return joined({out.h, out.c});
      },
      [&](T x) {
        const auto [h, c] = theirs->forward(x[0], std::make_tuple(x[1], x[2]));
        return joined({h, c});
      });
}

void conv1d() {
  unary(nn::Conv1d(4, 6, 3, {.stride = 2, .padding = 1, .groups = 2}),
        tn::Conv1d(tn::Conv1dOptions(4, 6, 3).stride(2).padding(1).groups(2)), {2, 4, 7});
  unary(nn::Conv1d(3, 5, 2, {.dilation = 3}, false),
        tn::Conv1d(tn::Conv1dOptions(3, 5, 2).dilation(3).bias(false)), {2, 3, 7});
}
void conv2d() {
  unary(nn::Conv2d(4, 6, {3, 2}, {.stride = {2, 1}, .padding = 1, .groups = 2}),
        tn::Conv2d(tn::Conv2dOptions(4, 6, {3, 2}).stride({2, 1}).padding(1).groups(2)),
        {2, 4, 5, 7});
  unary(nn::Conv2d(3, 5, 2, {.dilation = 3}, false),
        tn::Conv2d(tn::Conv2dOptions(3, 5, 2).dilation(3).bias(false)), {2, 3, 5, 7});
}

void conv3d() {
  unary(nn::Conv3d(4, 6, {2, 3, 2}, {.stride = {1, 2, 1}, .padding = 1, .groups = 2}),
        tn::Conv3d(tn::Conv3dOptions(4, 6, {2, 3, 2}).stride({1, 2, 1}).padding(1).groups(2)),
        {2, 4, 3, 5, 7});
  unary(nn::Conv3d(3, 5, 2, {.dilation = 2}, false),
        tn::Conv3d(tn::Conv3dOptions(3, 5, 2).dilation(2).bias(false)), {2, 3, 3, 5, 4});
}

void max_pool1d() {
  unary(nn::MaxPool1d({.kernel = 3, .stride = 2, .padding = 1}),
        tn::MaxPool1d(tn::MaxPool1dOptions(3).stride(2).padding(1)), {2, 3, 7});
}
void max_pool2d() {
  unary(nn::MaxPool2d({.kernel = {3, 2}, .ceil_mode = true}),
        tn::MaxPool2d(tn::MaxPool2dOptions({3, 2}).ceil_mode(true)), {2, 3, 5, 7});
}
void avg_pool1d() {
  unary(nn::AvgPool1d({.kernel = 3, .padding = 1}),
        tn::AvgPool1d(tn::AvgPool1dOptions(3).padding(1)), {2, 3, 7});
}
void avg_pool2d() {
  unary(nn::AvgPool2d({.kernel = {3, 2}, .padding = 1, .count_include_pad = false}),
        tn::AvgPool2d(tn::AvgPool2dOptions({3, 2}).padding(1).count_include_pad(false)),
        {2, 3, 5, 7});
}
void adaptive_avg_pool1d() { unary(nn::AdaptiveAvgPool1d(3), tn::AdaptiveAvgPool1d(3), {2, 3, 7}); }
void adaptive_avg_pool2d() {
  unary(nn::AdaptiveAvgPool2d({3, 2}), tn::AdaptiveAvgPool2d(tn::AdaptiveAvgPool2dOptions({3, 2})),
        {2, 3, 5, 7});
}

void prelu() {
  unary(nn::PReLU(), tn::PReLU(), {2, 3, 7});
  unary(nn::PReLU(3), tn::PReLU(tn::PReLUOptions().num_parameters(3)), {2, 3, 7});
}
void glu() { unary(nn::GLU(1), tn::GLU(tn::GLUOptions(1)), {3, 4, 2}); }

const std::vector<double> kWeights = {0.3, 1.7, 1, 0.5, 2};
Tensor weights() { return Tensor(Array::from(kWeights, {5})); }
torch::Tensor torch_weights() { return torch::tensor(kWeights, torch::kFloat64); }

void cross_entropy_loss() {
  with_targets(nn::CrossEntropyLoss({.weight = weights(), .label_smoothing = 0.1}),
               tn::CrossEntropyLoss(
                   tn::CrossEntropyLossOptions().weight(torch_weights()).label_smoothing(0.1)),
               {4, 5}, {1, 0, -100, 4});
  with_targets(nn::CrossEntropyLoss(), tn::CrossEntropyLoss(), {2, 5}, {1, 3});
}
void nll_loss() {
  with_targets(nn::NLLLoss({.weight = weights()}),
               tn::NLLLoss(tn::NLLLossOptions().weight(torch_weights())), {3, 5}, {1, -100, 4});
}
void multi_margin_loss() {
  with_targets(nn::MultiMarginLoss({.p = 2, .margin = 0.7}),
               tn::MultiMarginLoss(tn::MultiMarginLossOptions().p(2).margin(0.7)), {3, 5},
               {1, 0, 4});
}
void hinge_embedding_loss() {
  with_targets(nn::HingeEmbeddingLoss(0.8),
               tn::HingeEmbeddingLoss(tn::HingeEmbeddingLossOptions().margin(0.8)), {3},
               {1, -1, -1});
}
void bce_with_logits_loss() {
  binary(nn::BCEWithLogitsLoss({.weight = weights(), .pos_weight = weights()}),
         tn::BCEWithLogitsLoss(
             tn::BCEWithLogitsLossOptions().weight(torch_weights()).pos_weight(torch_weights())),
         {{3, 5}, {3, 5}});
}
void mse_loss() { binary(nn::MSELoss(), tn::MSELoss(), {{3, 5}, {3, 5}}); }
void l1_loss() {
  binary(nn::L1Loss(Reduction::sum), tn::L1Loss(tn::L1LossOptions(torch::kSum)), {{3, 5}, {3, 5}});
}
void smooth_l1_loss() {
  binary(nn::SmoothL1Loss(0.6), tn::SmoothL1Loss(tn::SmoothL1LossOptions().beta(0.6)),
         {{3, 5}, {3, 5}});
}
void kl_div_loss() {
  binary(nn::KLDivLoss(Reduction::mean, true),
         tn::KLDivLoss(tn::KLDivLossOptions(torch::kMean).log_target(true)), {{3, 5}, {3, 5}});
}
void cosine_embedding_loss() {
  nn::CosineEmbeddingLoss ours(-0.4);
  tn::CosineEmbeddingLoss theirs(tn::CosineEmbeddingLossOptions().margin(-0.4));
  compare(
      ours, *theirs, {{3, 5}, {3, 5}},
      [&](H x) {
        return ours(x[0], x[1], ids({1, -1, -1}, {3}));
      },
      [&](T x) {
        return theirs->forward(x[0], x[1], torch_ids({1, -1, -1}, {3}));
      });
}
void ctc_loss() {  // through a log_softmax: see ctc_loss.h
  nn::CTCLoss ours({.blank = 3});
  tn::CTCLoss theirs(tn::CTCLossOptions().blank(3));
  compare(
      ours, *theirs, {{7, 2, 5}},
      [&](H x) {
        return ours(log_softmax(x[0], -1), ids({1, 2, 2, 4, 0, 0}, {2, 3}), {7, 5}, {3, 2});
      },
      [&](T x) {
        return theirs->forward(torch::log_softmax(x[0], -1), torch_ids({1, 2, 2, 4, 0, 0}, {2, 3}),
                               torch_ids({7, 5}, {2}), torch_ids({3, 2}, {2}));
      });
}

const std::map<std::string, void (*)()> kLayers = {
    {"Linear", linear},
    {"Bilinear", bilinear},
    {"Embedding", embedding},
    {"RNN", rnn},
    {"GRU", gru},
    {"LSTM", lstm},
    {"RNNCell", rnn_cell},
    {"GRUCell", gru_cell},
    {"LSTMCell", lstm_cell},
    {"Conv1d", conv1d},
    {"Conv2d", conv2d},
    {"Conv3d", conv3d},
    {"MaxPool1d", max_pool1d},
    {"MaxPool2d", max_pool2d},
    {"AvgPool1d", avg_pool1d},
    {"AvgPool2d", avg_pool2d},
    {"AdaptiveAvgPool1d", adaptive_avg_pool1d},
    {"AdaptiveAvgPool2d", adaptive_avg_pool2d},
    {"PReLU", prelu},
    {"GLU", glu},
    {"CrossEntropyLoss", cross_entropy_loss},
    {"NLLLoss", nll_loss},
    {"MultiMarginLoss", multi_margin_loss},
    {"HingeEmbeddingLoss", hinge_embedding_loss},
    {"BCEWithLogitsLoss", bce_with_logits_loss},
    {"MSELoss", mse_loss},
    {"L1Loss", l1_loss},
    {"SmoothL1Loss", smooth_l1_loss},
    {"KLDivLoss", kl_div_loss},
    {"CosineEmbeddingLoss", cosine_embedding_loss},
    {"CTCLoss", ctc_loss},
};

class LayerParity : public testing::TestWithParam<std::pair<const std::string, void (*)()>> {};

TEST_P(LayerParity, AgreesWithLibtorch) { GetParam().second(); }

INSTANTIATE_TEST_SUITE_P(Layers, LayerParity, testing::ValuesIn(kLayers),
                         [](const auto& entry) { return entry.param.first; });

}  // namespace
}  // namespace heed::parity
