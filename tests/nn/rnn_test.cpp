#include "../../nn/rnn.h"

#include <gtest/gtest.h>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

TEST(RNN, NamesAndShapesArePyTorchs) {
  EXPECT_EQ(
      table(RNN({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true, .bias = false})),
      "weight_ih_l0 f32[5, 3]\n"
      "weight_hh_l0 f32[5, 5]\n"
      "weight_ih_l0_reverse f32[5, 3]\n"
      "weight_hh_l0_reverse f32[5, 5]\n"
      "weight_ih_l1 f32[5, 10]\n"
      "weight_hh_l1 f32[5, 5]\n"
      "weight_ih_l1_reverse f32[5, 10]\n"
      "weight_hh_l1_reverse f32[5, 5]\n");
}

TEST(RNN, StacksLayersOfEitherKind) {
  manual_seed(3);
  for (const Nonlinearity kind : {Nonlinearity::tanh, Nonlinearity::relu}) {
    const RNN rnn({.input = 3,
                   .hidden = 5,
                   .layers = 2,
                   .nonlinearity = kind,
                   .bidirectional = true,
                   .dtype = DType::f64});
    const Tensor x = randn({4, 7, 3}, DType::f64);
    const Tensor h0 = randn({4, 4, 5}, DType::f64);
    const std::vector<Index> lengths = {2, 7, 0, 5};
    const RnnResult lower =
        rnn_plain(x, slice(h0, 0, 0, 2), both_directions(rnn, 0), lengths, kind);
    const RnnResult upper =
        rnn_plain(lower.output, slice(h0, 0, 2, 4), both_directions(rnn, 1), lengths, kind);
    const RnnResult result = rnn(x, lengths, h0);
    EXPECT_LE(difference(result.output, upper.output), 1e-12);
    EXPECT_LE(difference(result.h_n, concat({lower.h_n, upper.h_n}, 0)), 1e-12);
    EXPECT_EQ(rnn.options().nonlinearity, kind);
  }
}

TEST(RNN, Gradcheck) {
  manual_seed(11);
  const RNN rnn({.input = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({3, 5, 2}, DType::f64);
  expect_gradients(rnn, [&] {
    const RnnResult result = rnn(x, {5, 1, 3});
    return std::vector<Tensor>{result.output, result.h_n};
  });
}

TEST(RNN, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "RNN: input 3, hidden 0 and layers 1 must be positive",
               RNN rnn({.input = 3, .hidden = 0}));
  EXPECT_ERROR(ValueError, "RNN: dropout 2 is not in [0, 1]",
               RNN rnn({.input = 3, .hidden = 5, .dropout = 2}));
  const RNN rnn({.input = 3, .hidden = 5});
  EXPECT_ERROR(ShapeError, "RNN: h0 must be [1, B, 5], not f32[2, 2, 5]",
               rnn(randn({2, 7, 3}), {}, randn({2, 2, 5})));
  EXPECT_ERROR(ShapeError, "rnn: x must be [B, T, I], not f32[7, 3]", rnn(randn({7, 3})));
}

}  // namespace
}  // namespace heed::nn
