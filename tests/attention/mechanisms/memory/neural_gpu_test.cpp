#include "../../../../attention/mechanisms/memory/neural_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 4, kT = 5, kM = 2, kW = 3, kK = 3, kLayers = 2;
const std::vector<Index> kLengths = {kT, 3, 0, 1};

// One place of a convolution with 0 beyond the image s [m, n, w].
double conv(const Block& weight, const Block& bias, Index o, const Block& s, Index y, Index x) {
  double out = bias(o);
  for (Index c = 0; c < kM; ++c) {
    for (Index i = 0; i < kK; ++i) {
      for (Index j = 0; j < kK; ++j) {
        const Index from = y + i - kK / 2, at = x + j - kK / 2;
        if (from < 0 || from >= s.size(1) || at < 0 || at >= s.size(2)) continue;
        out += weight(o, c, i, j) * s(c, from, at);
      }
    }
  }
  return out;
}

Block unit(const Leaves& w, const std::string& name, const Block& s, bool cutoff) {
  const auto gate = [&](Index o, const Place& at) {
    const double open =
        plain::sigmoid(conv(w[name + "gates.weight"], w[name + "gates.bias"], o, s, at[1], at[2]));
    return cutoff ? std::max(0.0, std::min(1.0, 1.2 * open - 0.1)) : open;
  };
  const Block kept(s.shape(), [&](const Place& at) { return gate(kM + at[0], at) * s(at); });
  return {s.shape(), [&](const Place& at) {
            const double u = gate(at[0], at);
            const double c = std::tanh(conv(w[name + "candidate.weight"],
                                            w[name + "candidate.bias"], at[0], kept, at[1], at[2]));
            return u * s(at) + (1 - u) * c;
          }};
}

// Each example by itself, as high as it is long.
Numbers plain_gpu(const Leaves& w, bool cutoff) {
  Numbers outputs, images;
  for (std::size_t b = 0; b < kB; ++b) {
    const Index n = kLengths[b];
    Block s({kM, n, kW}, [&](const Place& at) {
      return at[2] == 0 ? w["x"](static_cast<Index>(b), at[1], at[0]) : 0.0;
    });
    for (Index t = 0; t < n; ++t) {
      for (Index l = 0; l < kLayers; ++l) {
        s = unit(w, "layers." + std::to_string(l) + '.', s, cutoff);
      }
    }
    for (Index y = 0; y < kT; ++y) {
      for (Index c = 0; c < kM; ++c) outputs.push_back(y < n ? s(c, y, 0) : 0.0);
    }
    each_place({kM, kT, kW}, [&](const Place& at) { images.push_back(at[1] < n ? s(at) : 0.0); });
  }
  return plain::join({outputs, images});
}

NeuralGPUOptions options(bool cutoff) {
  return {.width = kM,
          .columns = kW,
          .layers = kLayers,
          .kernel = kK,
          .cutoff = cutoff,
          .dtype = DType::f64};
}

// Wide enough apart that some gates are cut off, none at its bound.
void draw(const NeuralGPU& made) {
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.8);
}

std::vector<Tensor> run(const NeuralGPU& made, const Tensor& x) {
  const NeuralGPUOutput out = made(x, kLengths);
  return {out.output, out.image};
}

TEST(NeuralGPU, IsTheDefinition) {
  for (const bool cutoff : {true, false}) {
    manual_seed(83);
    const NeuralGPU made(options(cutoff));
    draw(made);
    const Tensor x = randn({kB, kT, kM}, DType::f64);
    const auto leaves = leaves_of(made, {{"x", x}});
    const auto ours = [&] { return run(made, x); };
    plain::expect_same(
        leaves, ours, [&](const Leaves& w) { return plain_gpu(w, cutoff); }, 1e-5);
    plain::expect_gradients(leaves, ours, 3);
  }
}

TEST(NeuralGPU, GatesSaturateExactly) {
  manual_seed(84);
  const NeuralGPU made(options(true));
  nn::constant_(made.layers[0].gates.bias, 50);
  nn::constant_(made.layers[1].gates.bias, 50);
  const Tensor x = randn({kB, kT, kM}, DType::f64);
  EXPECT_EQ(numbers(made(x).output), numbers(x));  // all kept, to the bit
}

TEST(NeuralGPU, GatesBeginOpen) {
  const NeuralGPU made({.width = kM});
  EXPECT_EQ(made.layers.size(), 2U);
  EXPECT_EQ(made.layers[1].gates.bias.array().to_vector<float>(), (std::vector<float>(2 * kM, 1)));
  EXPECT_EQ(made(zeros({2, kT, kM})).image.shape(), (Shape{2, kM, kT, 4}));
}

TEST(NeuralGPU, WhatIsPaddingChangesNoBit) {
  manual_seed(85);
  const NeuralGPU made(options(true));
  draw(made);
  const Tensor x = randn({kB, kT, kM}, DType::f64);
  plain::expect_hidden([&](double value) {
    Tensor dirty = plain::spoiled(x, kLengths, value);
    return plain::bits_of(leaves_of(made, {{"x", dirty}}), [&] { return run(made, dirty); });
  });
}

// However far the batch is padded.
TEST(NeuralGPU, APaddedBatchEqualsEachExampleAlone) {
  manual_seed(86);
  const NeuralGPU made(options(true));
  draw(made);
  const Tensor x = randn({kB, kT, kM}, DType::f64), all = made(x, kLengths).output;
  for (Index b = 0; b < kB; ++b) {
    const Index n = kLengths[static_cast<std::size_t>(b)];
    const Tensor alone = made(narrow(narrow(x, 0, b, 1), 1, 0, n)).output;
    EXPECT_LT(difference(narrow(narrow(all, 0, b, 1), 1, 0, n), alone), 1e-12);
  }
}

TEST(NeuralGPU, ReadsNothing) {
  const NeuralGPU made({.width = kM, .columns = 1});
  EXPECT_EQ(made(zeros({2, 0, kM})).output.shape(), (Shape{2, 0, kM}));
  EXPECT_EQ(made(zeros({0, kT, kM})).image.shape(), (Shape{0, kM, kT, 1}));
}

TEST(NeuralGPU, RefusesWhatDoesNotFit) {
  const NeuralGPU made(options(true));
  const Tensor x = zeros({kB, kT, kM}, DType::f64);
  EXPECT_ERROR(ShapeError, "neural_gpu: x must be [.., n, 2], not f64[4, 5, 3]",
               made(zeros({kB, kT, 3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "neural_gpu: x must be f64, not f32[4, 5, 2]", made(to(x, DType::f32)));
  EXPECT_ERROR(ShapeError, "neural_gpu: 1 lengths for 4 rows of x", made(x, {3}));
  EXPECT_ERROR(ValueError, "neural_gpu: width 0, columns 4, layers 2 and kernel 3 must be positive",
               NeuralGPU none({}));
  EXPECT_ERROR(ValueError, "neural_gpu: width 3, columns 4, layers 0 and kernel 3 must be positive",
               NeuralGPU none({.width = 3, .layers = 0}));
}

}  // namespace
}  // namespace heed::attention
