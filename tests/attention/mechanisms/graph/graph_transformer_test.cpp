#include "../../../../attention/mechanisms/graph/graph_transformer.h"

#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kE = 6, kH = 2;

GraphTransformerOptions options() {
  return {.layers = 2,
          .transformer = {.width = kE, .heads = kH, .hidden = 7, .dropout = 0, .dtype = DType::f64},
          .positions = 2,
          .max_distance = 3,
          .max_degree = 2,
          .final_norm = true};
}

GraphStructure graphs() {
  return graph_structure({Edges({0, 1, 2, 3}, {1, 2, 3, 4}, kT), Edges({0, 0}, {1, 2}, 3)}, kT,
                         options().structure());
}

// The same encoder, given what the paper adds, as a block and by the definition of a bias.
TEST(GraphTransformer, IsAnEncoderWithABiasByDistance) {
  manual_seed(12);
  const GraphTransformer made(options());
  nn::normal_(made.distance_bias, 0, 1);
  Tensor h = randn({kB, kT, kE}, DType::f64);
  const auto leaves = plain::leaves_of(made, {{"h", h}});
  const GraphStructure own = graphs();
  const auto ours = [&] {
    const StackOutput seen = made(h, own, {.need_weights = true});
    return std::vector<Tensor>{seen.output, seen.weights[0], seen.weights[1]};
  };
  const auto by_hand = [&] {
    const Tensor x = h + matmul(own.positions, transpose(made.position_projection->weight, 0, 1)) +
                     embedding(made.degree_embedding->weight, own.degrees);
    const Tensor rows = embedding(transpose(made.distance_bias, 0, 1), own.distances);
    const StackOutput seen = made.encoder(x, {.mask = Mask::lengths({kT, 3}, kT),
                                              .bias = permute(rows, {0, 3, 1, 2}),
                                              .need_weights = true});
    return std::vector<Tensor>{seen.output, seen.weights[0], seen.weights[1]};
  };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-11));
  plain::expect_gradients(leaves, ours, 3);
}

TEST(GraphTransformer, WithoutStructureIsTheEncoder) {
  manual_seed(13);
  const GraphTransformer made(
      {.transformer = {.width = kE, .heads = kH, .hidden = 7, .dropout = 0, .dtype = DType::f64}});
  const Tensor h = randn({1, kT, kE}, DType::f64);
  const Tensor y = made(h, graph_structure({Edges({}, {}, kT)}, kT, {})).output;
  EXPECT_EQ(numbers(y), numbers(made.encoder(h).output));
}

TEST(GraphTransformer, RefusesWhatDoesNotFit) {
  const GraphTransformer made(options());
  const Tensor h = zeros({kB, kT, kE}, DType::f64);
  EXPECT_ERROR(ShapeError, "graph_transformer: h must be [.., n, 6], not f64[2, 5, 4]",
               made(zeros({kB, kT, 4}, DType::f64), graphs()));
  EXPECT_ERROR(DTypeError, "graph_transformer: h must be f64, not f32[2, 5, 6]",
               made(zeros({kB, kT, kE}), graphs()));
  GraphStructure wrong = graphs();
  wrong.lengths.pop_back();
  EXPECT_ERROR(ShapeError, "graph_transformer: 1 graphs for h f64[2, 5, 6]", made(h, wrong));
  wrong = graphs();
  wrong.positions = Tensor();
  EXPECT_ERROR(ValueError, "graph_transformer: the structure has no positions", made(h, wrong));
  wrong.positions = zeros({kB, kT, 3}, DType::f64);
  EXPECT_ERROR(ShapeError, "graph_transformer: positions must be [2, 5, 2], not f64[2, 5, 3]",
               made(h, wrong));
  wrong.positions = zeros({kB, kT, 2});
  EXPECT_ERROR(DTypeError, "graph_transformer: positions must be f64, not f32[2, 5, 2]",
               made(h, wrong));
  wrong = graphs();
  wrong.distances = Tensor();
  EXPECT_ERROR(ValueError, "graph_transformer: the structure has no distances", made(h, wrong));
  wrong = graphs();
  wrong.degrees = zeros({kB, kT}, DType::f64);
  EXPECT_ERROR(DTypeError, "graph_transformer: degrees must be i64, not f64[2, 5]", made(h, wrong));
  GraphTransformerOptions negative = options();
  negative.positions = -1;
  EXPECT_ERROR(ValueError,
               "graph_transformer: positions -1, max_distance 3 and max_degree 2 must not be "
               "negative",
               GraphTransformer{negative});
}

}  // namespace
}  // namespace heed::attention
