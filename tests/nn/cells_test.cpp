#include "../../nn/cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "../../nn/lstm.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

TEST(RecurrentCells, NamesAndShapesArePyTorchs) {
  EXPECT_EQ(table(RNNCell(3, 5)),
            "weight_ih f32[5, 3]\nweight_hh f32[5, 5]\nbias_ih f32[5]\nbias_hh f32[5]\n");
  EXPECT_EQ(table(GRUCell(3, 5)),
            "weight_ih f32[15, 3]\nweight_hh f32[15, 5]\nbias_ih f32[15]\nbias_hh f32[15]\n");
  EXPECT_EQ(table(LSTMCell(3, 5, true, DType::f64)),
            "weight_ih f64[20, 3]\nweight_hh f64[20, 5]\nbias_ih f64[20]\nbias_hh f64[20]\n");
  EXPECT_EQ(table(LSTMCell(3, 5, false)), "weight_ih f32[20, 3]\nweight_hh f32[20, 5]\n");
}

TEST(RecurrentCells, BeginUniform) {
  manual_seed(7);
  const GRUCell cell(13, 29);
  const double bound = 1 / std::sqrt(29.0);
  for (const auto& [name, tensor] : cell.named_parameters()) {
    const double top = amax(abs(tensor)).item();
    EXPECT_LE(top, bound) << name;
    EXPECT_GT(top, 0.9 * bound) << name;
  }
}

TEST(RecurrentCells, CallTheirFunctions) {
  manual_seed(3);
  const Tensor x = randn({3, 5}), h = randn({3, 7}), c = randn({3, 7});
  const auto weights = [](const RecurrentCell& cell) {
    return RnnWeights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  };
  const RNNCell simple(5, 7), relu(5, 7, true, Nonlinearity::relu);
  EXPECT_EQ(difference(simple(x, h), rnn_cell(x, h, weights(simple))), 0);
  EXPECT_EQ(difference(relu(x, h), rnn_cell(x, h, weights(relu), Nonlinearity::relu)), 0);
  const GRUCell gru(5, 7);
  EXPECT_EQ(difference(gru(x, h), gru_cell(x, h, weights(gru))), 0);
  EXPECT_EQ(difference(gru(x), gru_cell(x, zeros({3, 7}), weights(gru))), 0);
  const LSTMCell lstm(5, 7);
  EXPECT_EQ(difference(lstm(x, {h, c}).c, lstm_cell(x, {h, c}, weights(lstm)).c), 0);
}

TEST(RecurrentCells, LoadWhatALayerHas) {
  manual_seed(13);
  const LSTM layer({.input = 3, .hidden = 5});
  LSTMCell cell(3, 5);
  NamedTensors entries;
  for (const auto& [name, tensor] : layer.state_dict()) {
    entries.emplace_back(name.substr(0, name.size() - 3), tensor);  // without _l0
  }
  cell.load_state_dict(entries);
  const Tensor x = randn({2, 4, 3});
  LstmState state;
  for (Index t = 0; t < 4; ++t) state = cell(select(x, 1, t), state);
  EXPECT_LE(difference(state.c, select(layer(x).c_n, 0, 0)), 1e-6);
}

TEST(RecurrentCells, Gradcheck) {
  manual_seed(11);
  LSTMCell cell(2, 3, true, DType::f64);
  const Tensor x = randn({2, 2}, DType::f64);
  const auto run = [&] {
    LstmState state;
    for (int step = 0; step < 3; ++step) state = cell(x, state);
    return std::vector<Tensor>{state.h, state.c};
  };
  std::vector<NamedLeaf> leaves;
  for (const auto& [name, tensor] : cell.named_parameters()) leaves.push_back({name, tensor});
  const GradcheckReport report = gradcheck(run, leaves);
  EXPECT_TRUE(report) << report.text();
}

TEST(RecurrentCells, SayWhatIsWrong) {
  EXPECT_ERROR(ValueError, "RNNCell: input 0 and hidden 5 must be positive", RNNCell cell(0, 5));
  EXPECT_ERROR(ValueError, "GRUCell: input 3 and hidden -1 must be positive", GRUCell cell(3, -1));
  EXPECT_ERROR(ValueError, "LSTMCell: input 3 and hidden 0 must be positive", LSTMCell cell(3, 0));
  const LSTMCell cell(3, 5);
  EXPECT_ERROR(ShapeError, "lstm_cell: w_ih must be [20, 4] for x f32[2, 4], not f32[20, 3]",
               cell(randn({2, 4})));
}

}  // namespace
}  // namespace heed::nn
