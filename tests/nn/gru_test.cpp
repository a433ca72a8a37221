#include "../../nn/gru.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/backward.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

TEST(GRU, NamesAndShapesArePyTorchs) {
  EXPECT_EQ(table(GRU(3, 5)), table(GRU({.input = 3, .hidden = 5})));
  EXPECT_EQ(GRU(3, 5).options().layers, 1);
  EXPECT_EQ(table(GRU({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true})),
            "weight_ih_l0 f32[15, 3]\n"
            "weight_hh_l0 f32[15, 5]\n"
            "bias_ih_l0 f32[15]\n"
            "bias_hh_l0 f32[15]\n"
            "weight_ih_l0_reverse f32[15, 3]\n"
            "weight_hh_l0_reverse f32[15, 5]\n"
            "bias_ih_l0_reverse f32[15]\n"
            "bias_hh_l0_reverse f32[15]\n"
            "weight_ih_l1 f32[15, 10]\n"
            "weight_hh_l1 f32[15, 5]\n"
            "bias_ih_l1 f32[15]\n"
            "bias_hh_l1 f32[15]\n"
            "weight_ih_l1_reverse f32[15, 10]\n"
            "weight_hh_l1_reverse f32[15, 5]\n"
            "bias_ih_l1_reverse f32[15]\n"
            "bias_hh_l1_reverse f32[15]\n");
  EXPECT_EQ(table(GRU({.input = 3, .hidden = 5, .bias = false, .dtype = DType::f64})),
            "weight_ih_l0 f64[15, 3]\n"
            "weight_hh_l0 f64[15, 5]\n");
}

TEST(GRU, BeginsUniformFromTheDefaultGenerator) {
  manual_seed(7);
  const GRU gru({.input = 13, .hidden = 29});
  const double bound = 1 / std::sqrt(29.0);
  for (const auto& [name, tensor] : gru.named_parameters()) {
    const double top = amax(abs(tensor)).item();
    EXPECT_LE(top, bound) << name;
    EXPECT_GT(top, 0.9 * bound) << name;
  }
  manual_seed(7);
  const GRU again({.input = 13, .hidden = 29});
  EXPECT_EQ(difference(gru.parameters()[1], again.parameters()[1]), 0);
}

TEST(GRU, StacksLayers) {
  manual_seed(3);
  const GRU gru({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({4, 7, 3}, DType::f64);
  const Tensor h0 = randn({4, 4, 5}, DType::f64);
  const std::vector<Index> lengths = {2, 7, 0, 5};
  const RnnResult lower = gru_plain(x, slice(h0, 0, 0, 2), both_directions(gru, 0), lengths);
  const RnnResult upper =
      gru_plain(lower.output, slice(h0, 0, 2, 4), both_directions(gru, 1), lengths);
  const RnnResult result = gru(x, lengths, h0);
  EXPECT_LE(difference(result.output, upper.output), 1e-12);
  EXPECT_LE(difference(result.h_n, concat({lower.h_n, upper.h_n}, 0)), 1e-12);

  const RnnResult from_zeros = gru(x, lengths);
  EXPECT_LE(difference(from_zeros.output, gru(x, lengths, zeros({4, 4, 5}, DType::f64)).output),
            1e-15);
}

TEST(GRU, Gradcheck) {
  manual_seed(11);
  const GRU gru({.input = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({3, 5, 2}, DType::f64);
  expect_gradients(gru, [&] {
    const RnnResult result = gru(x, {5, 1, 3});
    return std::vector<Tensor>{result.output, result.h_n};
  });
}

TEST(GRU, DropsOutBetweenLayersInTrainingOnly) {
  manual_seed(5);
  GRU gru({.input = 3, .hidden = 17, .layers = 2, .dropout = 0.5});
  const Tensor x = randn({5, 7, 3});
  EXPECT_GT(difference(gru(x).output, gru(x).output), 0);
  EXPECT_EQ(difference(slice(gru(x).h_n, 0, 0, 1), slice(gru(x).h_n, 0, 0, 1)), 0);
  gru.eval();
  EXPECT_EQ(difference(gru(x).output, gru(x).output), 0);

  GRU one({.input = 3, .hidden = 17, .dropout = 0.5});
  EXPECT_EQ(difference(one(x).output, one(x).output), 0);
}

TEST(GRU, SaysWhatIsWrong) {
  const auto made = [](const GRUOptions& options) {
    return message_of<ValueError>([&] { GRU gru(options); });
  };
  EXPECT_EQ(made({.input = 0, .hidden = 5}),
            "GRU: input 0, hidden 5 and layers 1 must be positive");
  EXPECT_EQ(made({.input = 3, .hidden = -1}),
            "GRU: input 3, hidden -1 and layers 1 must be positive");
  EXPECT_EQ(made({.input = 3, .hidden = 5, .layers = 0}),
            "GRU: input 3, hidden 5 and layers 0 must be positive");
  EXPECT_EQ(made({.input = 3, .hidden = 5, .dropout = 1.5}), "GRU: dropout 1.5 is not in [0, 1]");
  const GRU gru({.input = 3, .hidden = 5, .layers = 2});
  EXPECT_ERROR(ShapeError, "GRU: h0 must be [2, B, 5], not f32[3, 2, 5]",
               gru(randn({2, 7, 3}), {}, randn({3, 2, 5})));
  EXPECT_ERROR(ShapeError, "gru: h0 must be [1, 2, 5] for x f32[2, 7, 3], not f32[1, 3, 5]",
               gru(randn({2, 7, 3}), {}, randn({2, 3, 5})));
  EXPECT_ERROR(ShapeError, "gru: w_ih must be [15, 4] for x f32[2, 7, 4], not f32[15, 3]",
               gru(randn({2, 7, 4})));
}

}  // namespace
}  // namespace heed::nn
