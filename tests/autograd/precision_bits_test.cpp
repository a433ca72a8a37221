// What docs/precision.md does not list as rounded has the bits of f32 under Precision::bf16.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "../../autograd/autograd.h"
#include "../../core/precision.h"
#include "table/table.h"

namespace heed {
namespace {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensor(const Tensors&)>;
using Bits = std::vector<std::vector<std::uint32_t>>;

struct Row {
  const char* name;
  std::vector<Shape> inputs;
  Function function;
  bool also_unrecorded = true;  ///< gradients of a pass that is not recorded itself, too
};

Array drawn(Generator& generator, const Shape& shape) {
  return generator.normal(shape, 0, 1, DType::f64).to(DType::f32);
}

void add_bits(Bits& to, const Tensor& x) {
  if (!x.defined()) return;
  to.emplace_back();
  for (const float number : x.array().to(DType::f32).to_vector<float>()) {
    to.back().push_back(std::bit_cast<std::uint32_t>(number));
  }
}

// The result, gradients, and with `second` those of the sum of their squares.
Bits bits_of(const Function& function, Tensors inputs, Precision precision, bool also_unrecorded,
             bool second) {
  for (Tensor& input : inputs) input = input.detach().requires_grad_();
  Bits bits;
  Tensor out;
  {
    const PrecisionScope scope(precision);
    out = function(inputs);
  }
  add_bits(bits, out);
  if (!out.requires_grad()) return bits;
  Generator generator(11);
  const Tensor g(drawn(generator, out.shape()));
  if (also_unrecorded) {
    for (const Tensor& each : grad({out}, inputs, {g}, {.retain_graph = true}))
      add_bits(bits, each);
  }
  Tensor squares = tensor(0.0);
  for (const Tensor& each : grad({out}, inputs, {g}, {.create_graph = true})) {
    add_bits(bits, each);
    if (each.defined()) squares = squares + sum(square(each));
  }
  if (!second || !squares.requires_grad()) return bits;
  for (const Tensor& each : grad({squares}, inputs)) add_bits(bits, each);
  return bits;
}

void expect_bits_of_f32(const Row& row) {
  SCOPED_TRACE(row.name);
  Generator generator(17);
  Tensors inputs;
  for (const Shape& shape : row.inputs) inputs.emplace_back(drawn(generator, shape));
  const Bits single = bits_of(row.function, inputs, Precision::f32, row.also_unrecorded, true);
  const Bits scoped = bits_of(row.function, inputs, Precision::bf16, row.also_unrecorded, true);
  ASSERT_EQ(scoped.size(), single.size());
  for (std::size_t i = 0; i < single.size(); ++i) EXPECT_TRUE(scoped[i] == single[i]) << i;
}

Row conv_row(const char* name, const Shape& x, const Shape& weight,
             const Conv2dOptions& options = {}) {
  return {name, {x, weight, {weight[0]}}, [options](const Tensors& in) {
            return conv2d(in[0], in[1], in[2], options);
          }};
}

// A panel holds 2^18 numbers that a product reads: some of these are of one, others of several. All
// of one are large enough to be rounded.
TEST(PrecisionBits, ConvolutionsAreInF32OfAnySize) {
  const std::vector<Row> rows = {
      conv_row("one panel", {9, 61, 23, 19}, {59, 61, 1, 1}),
      conv_row("two panels", {10, 61, 23, 19}, {59, 61, 1, 1}),
      conv_row("one panel, both ways", {7, 13, 23, 19}, {67, 13, 1, 1}),
      conv_row("one image", {1, 127, 13, 11}, {37, 127, 3, 3}, {.padding = 1}),
      conv_row("steps", {3, 17, 41, 37}, {31, 17, 3, 3}, {.stride = 2}),
      conv_row("groups", {9, 38, 23, 19}, {62, 19, 1, 1}, {.groups = 2}),
      conv_row("direct", {2, 11, 29, 31}, {13, 11, 3, 3}),
      {"conv1d",
       {{7, 61, 401}, {59, 61, 1}},
       [](const Tensors& in) { return conv1d(in[0], in[1]); }},
      {"conv3d",
       {{2, 13, 5, 17, 19}, {31, 13, 2, 1, 1}},
       [](const Tensors& in) { return conv3d(in[0], in[1]); }},
      {"conv_transpose1d",
       {{7, 59, 401}, {59, 13, 1}, {13}},
       [](const Tensors& in) { return conv_transpose1d(in[0], in[1], in[2]); }},
      {"conv_transpose2d",
       {{3, 31, 20, 18}, {31, 17, 3, 3}},
       [](const Tensors& in) { return conv_transpose2d(in[0], in[1], Tensor(), {.stride = 2}); }},
      {"conv2d_plain",
       {{7, 13, 23, 19}, {67, 13, 1, 1}},
       [](const Tensors& in) { return conv2d_plain(in[0], in[1]); }},
  };
  for (const Row& row : rows) expect_bits_of_f32(row);
}

// Their derivatives, or the definitions that second derivatives take, multiply matrices.
TEST(PrecisionBits, OtherProductsAreInF32) {
  const auto well = [](const Tensor& x) { return x + 50 * eye(x.size(-1)); };
  const std::vector<Row> rows = {
      {"inverse", {{131, 131}}, [=](const Tensors& in) { return inverse(well(in[0])); }},
      {"logdet", {{131, 131}}, [=](const Tensors& in) { return logdet(well(in[0])); }},
      {"solve_triangular",
       {{137, 137}, {137, 131}},
       [=](const Tensors& in) { return solve_triangular(well(in[0]), in[1]); }},
      {"affine_grid", {{1, 2, 3}}, [](const Tensors& in) { return affine_grid(in[0], 271, 257); }},
      {"avg_pool2d",
       {{1, 3, 131, 137}},
       [](const Tensors& in) { return avg_pool2d(in[0], {.kernel = 2}); }},
      {"adaptive_avg_pool2d",
       {{1, 3, 131, 137}},
       [](const Tensors& in) {
         return adaptive_avg_pool2d(in[0], {61, 67});
       }},
      {"additive_attention",
       {{3, 67, 151}, {3, 71, 151}, {151}, {3, 71, 5}},
       [](const Tensors& in) { return additive_attention(in[0], in[1], in[2], in[3]); }},
  };
  for (const Row& row : rows) expect_bits_of_f32(row);
}

// Only a fused pass rounds, and only in its weights' gradients.
TEST(PrecisionBits, RecurrentStepsAreInF32) {
  const auto of = [](Index gates, Index H) {
    return std::vector<Shape>{{29, 3, 67}, {gates * H, 67}, {gates * H, H}};
  };
  const auto weights = [](const Tensors& in) {
    return std::vector<RnnWeights>{RnnWeights{in[1], in[2], Tensor(), Tensor()}};
  };
  const std::vector<Row> rows = {
      {"gru", of(3, 71), [=](const Tensors& in) { return gru(in[0], {}, weights(in)).output; },
       false},
      {"lstm", of(4, 71), [=](const Tensors& in) { return lstm(in[0], {}, weights(in)).output; },
       false},
      {"rnn", of(1, 211), [=](const Tensors& in) { return rnn(in[0], {}, weights(in)).output; },
       false},
  };
  for (const Row& row : rows) expect_bits_of_f32(row);
}

// Every operator, and every function with a row of its own, at sizes at which nothing is rounded.
TEST(PrecisionBits, SmallOperatorsAreInF32) {
  for (const table::Row* row : table::rows()) {
    for (const table::Sample& sample : row->samples) {
      SCOPED_TRACE(row->subject.name + ": " + sample.name);
      Tensors inputs;
      for (const Block& block : sample.inputs) {
        inputs.push_back(table::to_tensor(block, DType::f32));
      }
      const Bits single = bits_of(sample.call, inputs, Precision::f32, true, false);
      EXPECT_TRUE(bits_of(sample.call, inputs, Precision::bf16, true, false) == single);
    }
  }
}

}  // namespace
}  // namespace heed
