#include "../../nn/lstm.h"

#include <gtest/gtest.h>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

TEST(LSTM, NamesAndShapesArePyTorchs) {
  EXPECT_EQ(table(LSTM({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true})),
            "weight_ih_l0 f32[20, 3]\n"
            "weight_hh_l0 f32[20, 5]\n"
            "bias_ih_l0 f32[20]\n"
            "bias_hh_l0 f32[20]\n"
            "weight_ih_l0_reverse f32[20, 3]\n"
            "weight_hh_l0_reverse f32[20, 5]\n"
            "bias_ih_l0_reverse f32[20]\n"
            "bias_hh_l0_reverse f32[20]\n"
            "weight_ih_l1 f32[20, 10]\n"
            "weight_hh_l1 f32[20, 5]\n"
            "bias_ih_l1 f32[20]\n"
            "bias_hh_l1 f32[20]\n"
            "weight_ih_l1_reverse f32[20, 10]\n"
            "weight_hh_l1_reverse f32[20, 5]\n"
            "bias_ih_l1_reverse f32[20]\n"
            "bias_hh_l1_reverse f32[20]\n");
}

TEST(LSTM, StacksLayers) {
  manual_seed(3);
  const LSTM lstm(
      {.input = 3, .hidden = 5, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({4, 7, 3}, DType::f64);
  const LstmState start{randn({4, 4, 5}, DType::f64), randn({4, 4, 5}, DType::f64)};
  const std::vector<Index> lengths = {2, 7, 0, 5};
  const auto half = [&](Index from) {
    return LstmState{slice(start.h, 0, from, from + 2), slice(start.c, 0, from, from + 2)};
  };
  const LstmResult lower = lstm_plain(x, half(0), both_directions(lstm, 0), lengths);
  const LstmResult upper = lstm_plain(lower.output, half(2), both_directions(lstm, 1), lengths);
  const LstmResult result = lstm(x, lengths, start);
  EXPECT_LE(difference(result.output, upper.output), 1e-12);
  EXPECT_LE(difference(result.h_n, concat({lower.h_n, upper.h_n}, 0)), 1e-12);
  EXPECT_LE(difference(result.c_n, concat({lower.c_n, upper.c_n}, 0)), 1e-12);

  const Tensor nothing = zeros({4, 4, 5}, DType::f64);
  const LstmResult from_zeros = lstm(x, lengths, {nothing, nothing});
  EXPECT_EQ(difference(lstm(x, lengths).output, from_zeros.output), 0);
  EXPECT_EQ(difference(lstm(x, lengths, {nothing, {}}).c_n, from_zeros.c_n), 0);
}

TEST(LSTM, Gradcheck) {
  manual_seed(11);
  const LSTM lstm(
      {.input = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({3, 5, 2}, DType::f64);
  expect_gradients(lstm, [&] {
    const LstmResult result = lstm(x, {5, 1, 3});
    return std::vector<Tensor>{result.output, result.h_n, result.c_n};
  });
}

TEST(LSTM, DropsOutBetweenLayersInTrainingOnly) {
  manual_seed(5);
  LSTM lstm({.input = 3, .hidden = 17, .layers = 2, .dropout = 0.5});
  const Tensor x = randn({5, 7, 3});
  EXPECT_GT(difference(lstm(x).output, lstm(x).output), 0);
  EXPECT_EQ(difference(slice(lstm(x).c_n, 0, 0, 1), slice(lstm(x).c_n, 0, 0, 1)), 0);
  lstm.eval();
  EXPECT_EQ(difference(lstm(x).output, lstm(x).output), 0);
}

TEST(LSTM, SaysWhatIsWrong) {
  const auto made = [](const LSTMOptions& options) {
    return message_of<ValueError>([&] { LSTM lstm(options); });
  };
  EXPECT_EQ(made({.input = 0, .hidden = 5}),
            "LSTM: input 0, hidden 5 and layers 1 must be positive");
  EXPECT_EQ(made({.input = 3, .hidden = 5, .dropout = -0.1}),
            "LSTM: dropout -0.1 is not in [0, 1]");
  const auto huge = [](Index hidden) {
    return message_of<ShapeError>([&] { LSTM lstm({.input = 3, .hidden = hidden}); });
  };
  EXPECT_NE(huge(Index{1} << 62).find("overflow"), std::string::npos) << huge(Index{1} << 62);
  const LSTM lstm({.input = 3, .hidden = 5, .layers = 2});
  EXPECT_ERROR(ShapeError, "LSTM: c0 must be [2, B, 5], not f32[3, 2, 5]",
               lstm(randn({2, 7, 3}), {}, {Tensor(), randn({3, 2, 5})}));
  EXPECT_ERROR(ShapeError, "lstm: c0 must be [1, 2, 5] for x f32[2, 7, 3], not f32[1, 3, 5]",
               lstm(randn({2, 7, 3}), {}, {Tensor(), randn({2, 3, 5})}));
  EXPECT_ERROR(ShapeError, "lstm: w_ih must be [20, 4] for x f32[2, 7, 4], not f32[20, 3]",
               lstm(randn({2, 7, 4})));
}

}  // namespace
}  // namespace heed::nn
