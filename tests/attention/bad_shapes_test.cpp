// Shapes that do not fit, one axis at a time.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../attention/attention.h"
#include "../../attention/detail/masked_sequence.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

std::string f32(const Shape& shape) { return "f32" + heed::to_string(shape); }

TEST(BadShapes, OfMaps) {
  const ChannelGate gate(4, 2);
  for (const Shape& shape :
       {Shape{2, 4, 5}, Shape{2, 3, 5, 7}, Shape{2, 4, 0, 7}, Shape{2, 4, 5, 0}}) {
    EXPECT_ERROR(ShapeError,
                 "channel_gate: map must be [B, 4, H, W] with places, not " + f32(shape),
                 gate(zeros(shape)));
  }
  EXPECT_ERROR(DTypeError, "channel_gate: map is f64[2, 4, 5, 7], the weights are f32",
               gate(zeros({2, 4, 5, 7}, DType::f64)));
  EXPECT_NO_THROW(gate(zeros({2, 4, 1, 1})));
  const NonLocal halves({.width = 4, .subsample = true});
  for (const Shape& shape : {Shape{2, 4, 1, 7}, Shape{2, 4, 5, 1}}) {
    EXPECT_ERROR(ValueError,
                 "non_local: to subsample takes no mask, and 2 x 2 places: " + f32(shape),
                 halves(zeros(shape)));
  }
  EXPECT_NO_THROW(halves(zeros({2, 4, 2, 2})));
  EXPECT_ERROR(
      ValueError,
      "non_local: to subsample takes no mask, and 2 x 2 places: f32[2, 4, 2, 2] with a mask",
      halves(zeros({2, 4, 2, 2}), {.mask = Mask::lengths({4, 4}, 4)}));
  EXPECT_ERROR(ValueError, "efficient_channel_attention: kernel -1 must be positive and odd",
               EfficientChannelAttention(3, -1));
  EXPECT_NO_THROW(EfficientChannelAttention(1, 1));
}

TEST(BadShapes, OfDrawing) {
  const DrawAttention draw({.state_width = 3, .size = 2, .height = 5, .width = 7});
  const DrawFilters at = draw.filters(zeros({2, 3}));
  for (const Shape& shape :
       {Shape{2, 5, 7}, Shape{3, 1, 5, 7}, Shape{2, 1, 4, 7}, Shape{2, 1, 5, 6}}) {
    EXPECT_ERROR(ShapeError, "draw: the image must be [2, C, 5, 7], not " + f32(shape),
                 draw.read(zeros(shape), at));
  }
  for (const Shape& shape :
       {Shape{2, 2, 2}, Shape{3, 1, 2, 2}, Shape{2, 1, 3, 2}, Shape{2, 1, 2, 3}}) {
    EXPECT_ERROR(ShapeError, "draw: the patch must be [2, C, 2, 2], not " + f32(shape),
                 draw.write(zeros(shape), at));
  }
  for (const Shape& shape : {Shape{3}, Shape{2, 4}}) {
    EXPECT_ERROR(ShapeError, "draw: the state must be [B, 3], not " + f32(shape),
                 draw.filters(zeros(shape)));
  }
  EXPECT_ERROR(DTypeError, "draw: the image is f64[2, 1, 5, 7], the weights are f32",
               draw.read(zeros({2, 1, 5, 7}, DType::f64), at));
}

TEST(BadShapes, OfGlimpses) {
  const Tensor images = zeros({2, 1, 5, 7});
  for (const Shape& shape :
       {Shape{2}, Shape{2, 3, 1, 2}, Shape{3, 2}, Shape{2, 3}, Shape{2, 3, 3}}) {
    EXPECT_ERROR(ShapeError,
                 "glimpse_sensor: centres must be [2, 2] or [2, N, 2], not " + f32(shape),
                 glimpse_sensor(images, zeros(shape), 2));
  }
  EXPECT_ERROR(ShapeError, "glimpse_sensor: images must be [B, C, H, W], not f32[2, 5, 7]",
               glimpse_sensor(zeros({2, 5, 7}), zeros({2, 2}), 2));
  EXPECT_ERROR(DTypeError,
               "glimpse_sensor: dtypes differ: images are f32[2, 1, 5, 7], centres f64[2, 2]",
               glimpse_sensor(images, zeros({2, 2}, DType::f64), 2));
  struct Sizes {
    Index size, scales;
  };
  for (const Sizes& good : {Sizes{65536, 1}, {32768, 2}, {1, 17}, {1, 1}}) {
    EXPECT_NO_THROW(check_glimpse("look", good.size, good.scales)) << good.size;
  }
  for (const Sizes& bad : {Sizes{0, 1}, {1, 0}, {65537, 1}, {32769, 2}, {2, 17}, {1, 18}}) {
    EXPECT_ERROR(ValueError,
                 "look: size " + std::to_string(bad.size) + " and scales " +
                     std::to_string(bad.scales) +
                     " must be positive, and the largest side at most 65536",
                 check_glimpse("look", bad.size, bad.scales));
  }
}

TEST(BadShapes, OfChains) {
  EXPECT_ERROR(ShapeError, "linear_chain: u must be [.., T, S], not f32[3]",
               linear_chain(zeros({3}), zeros({3, 3}), Tensor()));
  EXPECT_ERROR(ShapeError, "sparse_chain: u must be [.., T, S], not f32[3]",
               sparse_chain(zeros({3}), zeros({3, 3}), Tensor()));
  EXPECT_ERROR(ShapeError, "sparse_chain: u must be [.., T, S], not f32[3, 0]",
               sparse_chain(zeros({3, 0}), zeros({0, 0}), Tensor()));
  for (const Shape& shape : {Shape{2, 3}, Shape{3, 2}, Shape{3}}) {
    EXPECT_ERROR(ShapeError, "linear_chain: transitions must be [3, 3], not " + f32(shape),
                 linear_chain(zeros({5, 3}), zeros(shape), Tensor()));
    EXPECT_ERROR(ShapeError, "sparse_chain: transitions must be [3, 3], not " + f32(shape),
                 sparse_chain(zeros({5, 3}), zeros(shape), Tensor()));
  }
  EXPECT_ERROR(DTypeError, "linear_chain: dtypes differ: u is f32[5, 3], transitions are f64[3, 3]",
               linear_chain(zeros({5, 3}), zeros({3, 3}, DType::f64), Tensor()));
  EXPECT_ERROR(DTypeError, "sparse_chain: dtypes differ: u is f32[5, 3], transitions are f64[3, 3]",
               sparse_chain(zeros({5, 3}), zeros({3, 3}, DType::f64), Tensor()));
}

TEST(BadShapes, OfWeightsThatShouldSumToOne) {
  const Tensor weights = zeros({2, 3, 5});
  const auto open = [](const Shape& shape) { return ones(shape) > 0.0; };
  const auto call = [&](const Tensor& steps, const Tensor& places) {
    doubly_stochastic_penalty(weights, steps, places);
  };
  EXPECT_ERROR(ShapeError, "doubly_stochastic_penalty: weights must be [B, T, K], not f32[3, 5]",
               doubly_stochastic_penalty(zeros({3, 5}), Tensor(), Tensor()));
  EXPECT_ERROR(DTypeError, "doubly_stochastic_penalty: steps must be bool, not f32[2, 3]",
               call(zeros({2, 3}), Tensor()));
  EXPECT_ERROR(ShapeError, "doubly_stochastic_penalty: steps must be bool[2, 3], not bool[2, 5]",
               call(open({2, 5}), Tensor()));
  EXPECT_ERROR(ShapeError, "doubly_stochastic_penalty: places must be bool[2, 5], not bool[2, 3]",
               call(Tensor(), open({2, 3})));
  EXPECT_NO_THROW(call(open({2, 3}), open({2, 5})));
}

TEST(BadShapes, OfDelays) {
  const Tensor delays = zeros({2, 3});
  const std::string rest = "differentiable_average_lagging: ";
  const auto call = [&](const std::vector<Index>& sources, const std::vector<Index>& targets) {
    differentiable_average_lagging(delays, sources, targets);
  };
  EXPECT_NO_THROW(call({5, 1}, {}));
  EXPECT_NO_THROW(call({5, 1}, {3, 0}));
  EXPECT_ERROR(
      ShapeError,
      rest +
          "delays must be [B, Q], with as many lengths, not f32[2, 3] with 1 sources and 0 "
          "targets",
      call({5}, {}));
  EXPECT_ERROR(
      ShapeError,
      rest +
          "delays must be [B, Q], with as many lengths, not f32[2, 3] with 2 sources and 3 "
          "targets",
      call({5, 1}, {3, 1, 1}));
  EXPECT_ERROR(ValueError, rest + "source 0 of row 1 must be positive", call({5, 0}, {}));
  EXPECT_ERROR(ShapeError, rest + "target 4 of row 1 is not in [0, 3]", call({5, 1}, {3, 4}));
  EXPECT_ERROR(ShapeError, rest + "target -1 of row 0 is not in [0, 3]", call({5, 1}, {-1, 3}));
  EXPECT_ERROR(ShapeError,
               "monotonic_latency: delays must be [B, H, Q], with as many lengths, not f32[2, 3] "
               "with 2 sources and 0 targets",
               monotonic_latency(delays, {5, 1}));
}

TEST(BadShapes, OfMasksOfPlaces) {
  const Tensor x = zeros({2, 5, 3});
  const auto read = [&](const Mask& mask) {
    masked_sequence("a reader", "text", x, 3, DType::f32, mask);
  };
  for (const Mask& mask : {Mask::causal(), Mask::window(1, 1), Mask::block(2),
                           Mask::segments({0, 2, 5}), masks::prefix_lm(2)}) {
    EXPECT_ERROR(ShapeError, "a reader: the mask of text is one of places: no window, no block",
                 read(mask));
  }
  EXPECT_NO_THROW(read(Mask::key_padding(ones({2, 5}) > 0.0) & Mask::lengths({5, 3}, 5)));
}

TEST(BadShapes, OfSequencesAndPlaces) {
  const Tensor k = zeros({2, 7, 4}), v = zeros({2, 7, 3});
  HardAttention hard(HardOptions{});
  hard.eval();
  for (const auto& [keys, values] :
       std::vector<std::pair<Shape, Shape>>{{{7}, {7, 3}}, {{7, 4}, {7}}, {{2, 7, 4}, {2, 5, 3}}}) {
    EXPECT_ERROR(ShapeError,
                 "HardAttention: keys must be [.., K, dk] and values [.., K, dv], not " +
                     f32(keys) + " and " + f32(values),
                 hard(zeros({2, 1, 4}), zeros(keys), zeros(values)));
  }
  EXPECT_ERROR(DTypeError,
               "HardAttention: keys and values differ in dtype: f32[2, 7, 4] and f64[2, 7, 3]",
               hard(zeros({2, 1, 4}), k, zeros({2, 7, 3}, DType::f64)));
  const Memory memory(k, v);
  EXPECT_ERROR(ShapeError, "memory: places i64[3, 1] of keys f32[2, 7, 4] must be i64 [2, ..]",
               memory.places(zeros({3, 1}, DType::i64)));
  EXPECT_ERROR(IndexError, "memory: place -1 is out of range [0, 7)",
               memory.places(indices({0, -1}, {2, 1})));
  EXPECT_ERROR(IndexError, "memory: place 7 is out of range [0, 7)",
               memory.places(indices({6, 7}, {2, 1})));
  const LSTMN tape({.input = 3, .hidden = 2});
  for (const Shape& shape : {Shape{5, 3}, Shape{2, 5, 4}}) {
    EXPECT_ERROR(ShapeError, "LSTMN: x must be [B, T, 3], not " + f32(shape), tape(zeros(shape)));
  }
}

TEST(BadShapes, OfEdges) {
  EXPECT_ERROR(ValueError, "edges: nodes -1 must not be negative", Edges({}, {}, -1));
  EXPECT_EQ(Edges({}, {}, 0).nodes(), 0);
  EXPECT_ERROR(ShapeError, "edges: 2 sources for 1 targets", Edges({0, 1}, {0}, 3));
  EXPECT_ERROR(IndexError, "edges: source 3 of edge 1 is out of range [0, 3)",
               Edges({0, 3}, {0, 2}, 3));
  EXPECT_ERROR(IndexError, "edges: source -1 of edge 0 is out of range [0, 3)",
               Edges({-1, 0}, {0, 2}, 3));
  EXPECT_ERROR(IndexError, "edges: target 3 of edge 1 is out of range [0, 3)",
               Edges({0, 2}, {0, 3}, 3));
  EXPECT_ERROR(ShapeError, "edges: length 4 of row 1 is not in [0, 3]", Edges::complete({3, 4}, 3));
  EXPECT_ERROR(ShapeError, "edges: length -1 of row 0 is not in [0, 3]",
               Edges::complete({-1, 3}, 3));
  EXPECT_EQ(Edges::complete({3, 0}, 3).count(), 9);
}

}  // namespace
}  // namespace heed::attention
