// Costs held to counts by hand.
#include "../../train/flops.h"

#include <gtest/gtest.h>

#include "../../autograd/ops/attention/attention.h"
#include "../../autograd/ops/conv/conv.h"
#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/einsum.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../nn/lstm.h"

namespace heed::train {
namespace {

// Adds up what is called.
struct Sum final : Observer {
  double flops = 0, bytes = 0, derivative = 0;
  std::uint32_t called(const Call& call) override {
    if (call.in_derivative) return 0;
    const CallCost cost = cost_of(call);
    flops += cost.forward.flops;
    bytes += cost.forward.bytes;
    derivative += cost.shared.flops;
    for (const Cost& input : cost.inputs) derivative += input.flops;
    return 0;
  }
};

template <class Run>
Sum sum_of(const Run& run) {
  Sum sum;
  const Observer::Installed installed(sum);
  run();
  return sum;
}

TEST(Flops, OfProductsAreExact) {
  const Tensor a = ones({2, 3, 5}), b = ones({5, 7}), bias = ones({7}), w = ones({7, 5});
  const Sum plain = sum_of([&] { matmul(a, b); });
  EXPECT_EQ(plain.flops, 2 * 2 * 3 * 5 * 7);
  EXPECT_EQ(plain.bytes, 4 * (2 * 3 * 5 + 5 * 7 + 2 * 3 * 7));
  EXPECT_EQ(plain.derivative, 2 * plain.flops);
  EXPECT_EQ(sum_of([&] { linear(a, w, bias); }).flops, 2 * 2 * 3 * 5 * 7 + 2 * 3 * 7);
  EXPECT_EQ(sum_of([&] { linear(a, w, Tensor()); }).flops, 2 * 2 * 3 * 5 * 7);
  EXPECT_EQ(sum_of([&] { einsum("bij,jk->bik", {a, b}); }).flops, plain.flops);
}

TEST(Flops, OfConvolutionsCountTheWindow) {
  const Tensor x = ones({2, 3, 11, 13}), w = ones({7, 3, 5, 3}), bias = ones({7});
  const Sum sum = sum_of([&] { conv2d(x, w, bias); });
  const double places = 2.0 * 7 * 7 * 11;
  EXPECT_EQ(sum.flops, 2 * places * 3 * 5 * 3 + places);
}

TEST(Flops, OfAttentionAreItsProducts) {
  const Tensor q = ones({2, 3, 5, 7}), k = ones({2, 3, 11, 7}), v = ones({2, 3, 11, 13});
  const Sum sum = sum_of([&] { dot_attention(q, k, v); });
  const double scores = 2 * 3 * 5 * 11;
  EXPECT_EQ(sum.flops, 2 * scores * (7 + 13));
  EXPECT_EQ(sum.derivative, 2 * scores * (3 * 7 + 2 * 13));
}

TEST(Flops, OfRecurrentLayersAreThoseOfEachStep) {
  const nn::LSTM lstm({.input = 3, .hidden = 5, .bidirectional = true});
  const Sum sum = sum_of([&] { lstm(ones({2, 7, 3})); });
  EXPECT_EQ(sum.flops, 2.0 * (2 * 7) * 2 * (4 * 5 * 3 + 4 * 5 * 5));
}

TEST(Flops, OfTheRestAreOneAnElement) {
  const Tensor x = ones({3, 5}), row = ones({5});
  EXPECT_EQ(sum_of([&] { x + row; }).flops, 15);
  EXPECT_EQ(sum_of([&] { gelu(x); }).flops, 15);
  EXPECT_EQ(sum_of([&] { sum(x, {1}); }).flops, 15);
  const Sum view = sum_of([&] { transpose(x, 0, 1); });
  EXPECT_EQ(view.flops, 0);
  EXPECT_EQ(view.bytes, 0);
}

}  // namespace
}  // namespace heed::train
