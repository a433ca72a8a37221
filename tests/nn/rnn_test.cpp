#include "../../nn/rnn.h"

#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "thrown_text.h"

namespace heed::nn {
namespace {

double difference(const Tensor& a, const Tensor& b) {
  EXPECT_TRUE(a.shape() == b.shape()) << describe(a) << " against " << describe(b);
  return amax(abs(a - b)).item();
}

TEST(RNN, NamesAndShapesArePyTorchs) {
  const RNN rnn({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true, .bias = false});
  std::string table;
  for (const auto& [name, tensor] : rnn.named_parameters()) {
    table += name + " " + describe(tensor) + "\n";
  }
  EXPECT_EQ(table,
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
    const auto p = rnn.parameters();
    const auto weights = [&](std::size_t first) {
      return std::vector<RnnWeights>{{p[first], p[first + 1], p[first + 2], p[first + 3]},
                                     {p[first + 4], p[first + 5], p[first + 6], p[first + 7]}};
    };
    const RnnResult lower = rnn_plain(x, slice(h0, 0, 0, 2), weights(0), lengths, kind);
    const RnnResult upper = rnn_plain(lower.output, slice(h0, 0, 2, 4), weights(8), lengths, kind);
    const RnnResult result = rnn(x, lengths, h0);
    EXPECT_LE(difference(result.output, upper.output), 1e-12);
    EXPECT_LE(difference(result.h_n, concat({lower.h_n, upper.h_n}, 0)), 1e-12);
    EXPECT_EQ(rnn.options().nonlinearity, kind);
  }
}

TEST(RNN, Gradcheck) {
  manual_seed(11);
  RNN rnn({.input = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Tensor x = randn({3, 5, 2}, DType::f64);
  const auto run = [&] {
    const RnnResult result = rnn(x, {5, 1, 3});
    return std::vector<Tensor>{result.output, result.h_n};
  };
  std::vector<NamedLeaf> leaves;
  for (const auto& [name, tensor] : rnn.named_parameters()) leaves.push_back({name, tensor});
  GradcheckOptions options;
  options.max_elements = 8;
  const GradcheckReport first = gradcheck(run, leaves, options);
  EXPECT_TRUE(first) << first.text();
  options.max_elements = 3;
  const GradcheckReport second = gradgradcheck(run, leaves, options);
  EXPECT_TRUE(second) << second.text();
}

TEST(RNN, SaysWhatIsWrong) {
  EXPECT_EQ(thrown_text<ValueError>([] { RNN rnn({.input = 3, .hidden = 0}); }),
            "RNN: input 3, hidden 0 and layers 1 must be positive");
  EXPECT_EQ(thrown_text<ValueError>([] { RNN rnn({.input = 3, .hidden = 5, .dropout = 2}); }),
            "RNN: dropout 2 is not in [0, 1]");
  const RNN rnn({.input = 3, .hidden = 5});
  EXPECT_EQ(thrown_text<ShapeError>([&] {
              rnn(randn({2, 7, 3}), {}, randn({2, 2, 5}));
            }),
            "RNN: h0 must be [1, B, 5], not f32[2, 2, 5]");
  EXPECT_EQ(thrown_text<ShapeError>([&] {
              rnn(randn({7, 3}));
            }),
            "rnn: x must be [B, T, I], not f32[7, 3]");
}

}  // namespace
}  // namespace heed::nn
