#include "../../../../autograd/ops/recurrent/cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/recurrent/gru.h"
#include "../../../../autograd/ops/recurrent/lstm.h"
#include "../../../../autograd/ops/recurrent/rnn.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/generator.h"

namespace heed {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Tensor numbers(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor number(double value, Index rank) { return numbers({value}, Shape(Dims::filled(rank, 1))); }

// Weights of one number in and one state, gate by gate.
RnnWeights weights(const std::vector<double>& w_ih, const std::vector<double>& w_hh,
                   const std::vector<double>& b_ih, const std::vector<double>& b_hh) {
  const Index G = static_cast<Index>(w_ih.size());
  return {numbers(w_ih, {G, 1}), numbers(w_hh, {G, 1}), numbers(b_ih, {G}), numbers(b_hh, {G})};
}

constexpr double kX = 1.7, kH = -0.45, kC = 0.35;

TEST(Cells, RnnFollowsItsFormula) {
  const RnnWeights w = weights({0.5}, {0.2}, {0.1}, {-0.4});
  const double sum = 0.5 * kX + 0.1 + 0.2 * kH - 0.4;
  const Tensor x = number(kX, 2), h = number(kH, 2);
  EXPECT_NEAR(rnn_cell(x, h, w).item(), std::tanh(sum), 1e-15);
  EXPECT_NEAR(rnn_cell(x, h, w, Nonlinearity::relu).item(), sum, 1e-15);
  EXPECT_EQ(rnn_cell(-x, h, w, Nonlinearity::relu).item(), 0);
  const Tensor steps = number(kX, 3), start = number(kH, 3);
  EXPECT_NEAR(rnn(steps, start, {w}).output.item(), std::tanh(sum), 1e-15);
  EXPECT_NEAR(rnn(steps, start, {w}, {}, Nonlinearity::relu).h_n.item(), sum, 1e-15);
}

TEST(Cells, GruFollowsItsFormula) {
  const RnnWeights w =
      weights({0.5, -0.3, 0.8}, {0.2, 0.7, -0.6}, {0.1, 0.2, 0.3}, {-0.4, 0.5, 0.6});
  const double r = logistic(0.5 * kX + 0.1 + 0.2 * kH - 0.4);
  const double z = logistic(-0.3 * kX + 0.2 + 0.7 * kH + 0.5);
  const double n = std::tanh(0.8 * kX + 0.3 + r * (-0.6 * kH + 0.6));
  const double next = (1 - z) * n + z * kH;
  EXPECT_NEAR(gru_cell(number(kX, 2), number(kH, 2), w).item(), next, 1e-15);
  const RnnResult layer = gru(number(kX, 3), number(kH, 3), {w});
  EXPECT_NEAR(layer.output.item(), next, 1e-15);
  EXPECT_NEAR(layer.h_n.item(), next, 1e-15);
}

TEST(Cells, LstmFollowsItsFormula) {
  const RnnWeights w = weights({0.5, -0.3, 0.8, 0.9}, {0.2, 0.7, -0.6, 0.4}, {0.1, 0.2, 0.3, -0.7},
                               {-0.4, 0.5, 0.6, 0.15});
  const double i = logistic(0.5 * kX + 0.1 + 0.2 * kH - 0.4);
  const double f = logistic(-0.3 * kX + 0.2 + 0.7 * kH + 0.5);
  const double g = std::tanh(0.8 * kX + 0.3 - 0.6 * kH + 0.6);
  const double o = logistic(0.9 * kX - 0.7 + 0.4 * kH + 0.15);
  const double c = f * kC + i * g, h = o * std::tanh(c);
  const LstmState next = lstm_cell(number(kX, 2), {number(kH, 2), number(kC, 2)}, w);
  EXPECT_NEAR(next.h.item(), h, 1e-15);
  EXPECT_NEAR(next.c.item(), c, 1e-15);
  const LstmResult layer = lstm(number(kX, 3), {number(kH, 3), number(kC, 3)}, {w});
  EXPECT_NEAR(layer.output.item(), h, 1e-15);
  EXPECT_NEAR(layer.h_n.item(), h, 1e-15);
  EXPECT_NEAR(layer.c_n.item(), c, 1e-15);
}

TEST(Cells, SeveralStepsAreALayer) {
  manual_seed(3);
  const RnnWeights w{randn({28, 5}, DType::f64), randn({28, 7}, DType::f64),
                     randn({28}, DType::f64), Tensor()};
  const Tensor x = randn({3, 11, 5}, DType::f64);
  LstmState state;
  for (Index t = 0; t < 11; ++t) state = lstm_cell(select(x, 1, t), state, w);
  const LstmResult layer = lstm(x, {}, {w});
  EXPECT_LE(amax(abs(select(layer.h_n, 0, 0) - state.h)).item(), 1e-12);
  EXPECT_LE(amax(abs(select(layer.c_n, 0, 0) - state.c)).item(), 1e-12);
}

struct Called {
  const char* name;
  Index gates;
  std::vector<Tensor> (*fused)(const std::vector<Tensor>&);
  std::vector<Tensor> (*plain)(const std::vector<Tensor>&);
};

RnnWeights weights_of(const std::vector<Tensor>& x) { return {x[3], x[4], x[5], x[6]}; }
std::vector<Tensor> both(const LstmState& state) { return {state.h, state.c}; }
using Tensors = std::vector<Tensor>;

// The gates in one pass, of a GRU and of an LSTM, from which both states, or one alone, go on.
const Called kCalled[] = {
    {"gru", 3,
     [](const Tensors& x) { return Tensors{gru_cell(x[0], x[1], weights_of(x)) + 0 * x[2]}; },
     [](const Tensors& x) {
       return Tensors{gru_cell_plain(x[0], x[1], weights_of(x)) + 0 * x[2]};
     }},
    {"lstm", 4,
     [](const Tensors& x) {
       return both(lstm_cell(x[0], {x[1], x[2]}, weights_of(x)));
     },
     [](const Tensors& x) {
       return both(lstm_cell_plain(x[0], {x[1], x[2]}, weights_of(x)));
     }},
    {"h", 4,
     [](const Tensors& x) {
       return Tensors{lstm_cell(x[0], {x[1], x[2]}, weights_of(x)).h};
     },
     [](const Tensors& x) {
       return Tensors{lstm_cell_plain(x[0], {x[1], x[2]}, weights_of(x)).h};
     }},
    {"c", 4,
     [](const Tensors& x) {
       return Tensors{lstm_cell(x[0], {x[1], x[2]}, weights_of(x)).c};
     },
     [](const Tensors& x) {
       return Tensors{lstm_cell_plain(x[0], {x[1], x[2]}, weights_of(x)).c};
     }}};

Tensors inputs(Index gates, Index B, Index I, Index H, DType dtype) {
  Tensors all = {randn({B, I}, dtype),         randn({B, H}, dtype),
                 randn({B, H}, dtype),         randn({gates * H, I}, dtype),
                 randn({gates * H, H}, dtype), randn({gates * H}, dtype),
                 randn({gates * H}, dtype)};
  for (Tensor& x : all) x.set_requires_grad();
  return all;
}

TEST(Cells, GatesHaveGradientsOfBothOrders) {
  manual_seed(5);
  for (const Called& cell : kCalled) {
    const Tensors x = inputs(cell.gates, 2, 3, 5, DType::f64);
    const auto first = gradcheck(TensorFunction(cell.fused), x);
    EXPECT_TRUE(first) << cell.name << first.text();
    const auto second = gradgradcheck(TensorFunction(cell.fused), x, {.max_elements = 7});
    EXPECT_TRUE(second) << cell.name << second.text();
  }
}

TEST(Cells, GatesAreAsTheirDefinition) {
  manual_seed(7);
  for (const Called& cell : kCalled) {
    for (const auto& [B, H] : {std::pair<Index, Index>{1, 1}, {13, 37}, {67, 257}, {0, 3}}) {
      const Tensors x = inputs(cell.gates, B, 11, H, DType::f64);
      const Tensors fused = cell.fused(x), plain = cell.plain(x);
      Tensors cotangents;
      for (const Tensor& out : plain) cotangents.push_back(randn(out.shape(), DType::f64));
      const Tensors from_fused = grad(fused, x, cotangents);
      const Tensors from_plain = grad(plain, x, cotangents);
      if (B == 0) continue;
      for (std::size_t i = 0; i < fused.size(); ++i) {
        EXPECT_LE(amax(abs(fused[i] - plain[i])).item(), 1e-14) << cell.name;
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(from_fused[i].defined(), from_plain[i].defined()) << cell.name << i;
        if (!from_plain[i].defined()) continue;
        EXPECT_LE(amax(abs(from_fused[i] - from_plain[i])).item(),
                  1e-12 * (1 + amax(abs(from_plain[i])).item()))
            << cell.name << i;
      }
    }
  }
}

// At the kink of relu: 0, as relu() itself; in the fused layer as in the cell.
TEST(Cells, ReluHasNoGradientAtZero) {
  const RnnWeights w = weights({1}, {1}, {0}, {0});
  for (const bool fused : {true, false}) {
    Tensor x = number(0, 3);
    x.set_requires_grad();
    const RnnResult result = fused ? rnn(x, {}, {w}, {}, Nonlinearity::relu)
                                   : rnn_plain(x, {}, {w}, {}, Nonlinearity::relu);
    result.h_n.backward();
    EXPECT_EQ(x.grad().item(), 0);
  }
}

}  // namespace
}  // namespace heed
