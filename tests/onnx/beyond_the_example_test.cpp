// Exported models beyond their example: in ranges that no pass met, and at the ends of functions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../../attention/positions/rotary.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../../nn/positional_encoding.h"
#include "../support/throws.h"
#include "expect_back.h"

namespace heed::onnx {
namespace {

TEST(BeyondTheExample, AttentionInARange) {
  nn::Linear none(1, 1);
  const AttentionOptions all[] = {{.left = 13, .right = 0},
                                  {.right = 11},
                                  {.left = 1, .right = INT64_MAX},
                                  {.left = 2, .blocks = {7}}};
  const Tensor w = randn({3});
  for (const AttentionOptions& options : all) {
    expect_back(
        none, [&](auto& x) { return dot_attention(x, x, x, options); }, randn({2, 5, 3}));
    expect_back(
        none, [&](auto& x) { return additive_attention(x, x, w, x, options); }, randn({2, 5, 3}));
  }
}

TEST(BeyondTheExample, AttentionAmongLengths) {
  nn::Linear none(1, 1);
  const Forward forward = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{dot_attention(x[0], x[0], x[0], {.lengths = x[1]})};
  };
  const GraphModule back(export_model(
      none, {{"x", randn({2, 5, 3}), {"batch", "length"}}, {"lengths", tensor({5, 5}), {"batch"}}},
      forward));
  const std::vector<Tensor> inputs = {randn({4, 7, 3}), tensor({7, 1, 0, 6})};
  const NoGrad scope;
  EXPECT_TRUE(back.run(inputs)[0].allclose(forward(inputs)[0], 1e-5, 1e-5));
}

TEST(BeyondTheExample, AttentionInSegmentsIsRefused) {
  nn::Linear none(1, 1);
  const Forward forward = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{dot_attention(x[0], x[0], x[0], {.segments = {0, 2, 5}})};
  };
  EXPECT_ERROR_WITH(ValueError, "segments and rules of a mask cannot be followed",
                    export_model(none, {{"x", randn({2, 5, 3})}}, forward));
}

// Where 1 + x is 0, infinite, exact, and nothing but 1; where e^x is no number any more.
TEST(BeyondTheExample, LogarithmsAndPowersAtTheirEnds) {
  nn::Linear none(1, 1);
  const Tensor x = tensor({-1.0, INFINITY, 0.0, 3e20, -0.5, 1e-9, -3e-8, 7.0, 100.0, -100.0});
  for (Tensor (*const f)(const Tensor&) : {log1p, expm1}) {
    const GraphModule back(
        export_model(none, {{"x", randn({3}), {"length"}}},
                     [f](const std::vector<Tensor>& in) { return std::vector<Tensor>{f(in[0])}; }));
    const NoGrad scope;
    const Tensor in = f == static_cast<Tensor (*)(const Tensor&)>(log1p) ? slice(x, 0, 0, 9) : x;
    const auto got = back.run(std::vector<Tensor>{in})[0].to_vector<float>();
    const auto wanted = f(in).to_vector<float>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (std::isinf(wanted[i])) {
        EXPECT_EQ(got[i], wanted[i]) << i;
      } else {
        EXPECT_NEAR(got[i], wanted[i], 1e-6F * std::fabs(wanted[i])) << i;
      }
    }
  }
}

// Of one input whose first axis is named.
Model exported(const Tensor& x, const Function& f) {
  nn::Linear none(1, 1);
  return export_model(none, {{"x", x, {"length"}}},
                      [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{f(in[0])}; });
}

TEST(BeyondTheExample, LogarithmsOfPowersAreWhole) {
  const NoGrad scope;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto given = [&](Tensor (*f)(const Tensor&), const std::vector<double>& x) {
      const GraphModule back(exported(rand({3}, dtype) + 0.5, f));
      const Tensor in(Array::from(x).to(dtype));
      return back.run(std::vector<Tensor>{in})[0].array().to(DType::f64).to_vector<double>();
    };
    EXPECT_EQ(given(log10, {0.001, 1, 1000, 1e10, INFINITY, 0}),
              (std::vector<double>{-3, 0, 3, 10, INFINITY, -INFINITY}));
    EXPECT_EQ(given(log2, {0.125, 1, 8, 0x1p29, 0x1p-31}),
              (std::vector<double>{-3, 0, 3, 29, -31}));
    const double digits = dtype == DType::f32 ? 1e-6 : 1e-14;
    EXPECT_NEAR(given(log10, {1001})[0], std::log10(1001.0), digits);
  }
}

TEST(BeyondTheExample, IntegersAreNoNumbersApart) {
  for (Tensor (*const f)(const Tensor&) : {isnan, isinf}) {
    const Model model = exported(tensor({3, 1, 4}), f);
    ASSERT_EQ(model.graph.nodes.size(), 3U);  // runtimes take floats alone in what is left out here
    EXPECT_EQ(model.graph.nodes[0].op_type, "Equal");
    EXPECT_EQ(model.graph.nodes[1].op_type, "Not");
    const GraphModule back(model);
    EXPECT_TRUE(
        back.run(std::vector<Tensor>{tensor({7, 2, 9, 5})})[0].equal(zeros({4}, DType::boolean)));
  }
}

TEST(BeyondTheExample, TheFirstInTheOrderTheyStandIn) {
  nn::Linear none(1, 1);
  expect_back(
      none, [](auto& x) { return topk(x, 3, 1, true, false).values; }, randn({2, 5, 3}));
  expect_back(
      none, [](auto& x) { return topk(x, 3, 1, false, false).indices; }, randn({2, 5, 3}));
}

TEST(BeyondTheExample, AnInputInAnotherShape) {
  const auto products = [](const Tensor& x) {
    return x * Tensor(Array::from(x.to_vector<float>(), Shape{1, x.size(0)}));
  };
  const GraphModule back(exported(randn({3, 1}), products));
  const Tensor x = randn({7, 1});
  const NoGrad scope;
  EXPECT_TRUE(back.run(std::vector<Tensor>{x})[0].equal(products(x)));
}

TEST(BeyondTheExample, WhatTheLargestOrSmallestNumberDecidesIsRefused) {
  nn::Linear none(1, 1);
  using Range = std::vector<Index>;
  const auto first = [](auto of) {
    return [of](const std::vector<Tensor>& x) {
      const Range lengths = x[1].to_vector<Index>();
      return std::vector<Tensor>{narrow(x[0], 1, 0, *of(lengths.begin(), lengths.end()))};
    };
  };
  const Forward most = first([](auto a, auto b) { return std::max_element(a, b); }),
                least = first([](auto a, auto b) { return std::min_element(a, b); });
  const Tensor x = randn({7, 5, 3});
  for (const Tensor& lengths : {tensor({5, 5, 5, 5, 3, 5, 5}), tensor({3, 3, 3, 3, 3, 3, 5}),
                                tensor({4, 4, 4, 4, 4, 4, 4}), tensor({2, 5, 5, 2, 3, 4, 2})}) {
    for (const Forward& forward : {most, least}) {
      for (const std::string batch : {"", "batch"}) {
        EXPECT_THROW(
            export_model(none, {{"x", x, {batch, "length"}}, {"lengths", lengths, {batch}}},
                         forward),
            ValueError);
        EXPECT_THROW(
            export_model(none, {{"x", x, {batch}}, {"lengths", lengths, {batch}}}, forward),
            ValueError);
      }
    }
  }
}

// In f32 such angles have no digits left.
TEST(BeyondTheExample, PlacesFarAway) {
  nn::Linear none(1, 1);
  expect_back(
      none, [](auto& x) { return x + nn::sinusoidal_positions(x.size(1), 6, 1000003); },
      randn({2, 5, 6}));
  expect_back(
      none, [](auto& x) { return attention::rotary(x, 1000003); }, randn({2, 5, 6}));
  const Forward forward = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{attention::rotary(x[0], x[1])};
  };
  const GraphModule back(export_model(
      none,
      {{"x", randn({2, 3, 6}), {"batch", "length"}}, {"places", tensor({5, 2, 11}), {"length"}}},
      forward));
  const std::vector<Tensor> inputs = {randn({3, 4, 6}), tensor({1000003, 7, 999983, 100003})};
  const NoGrad scope;
  EXPECT_TRUE(back.run(inputs)[0].allclose(forward(inputs)[0], 1e-5, 1e-5));
}

// No pass is as long as what was trained, behind which turns become slower.
TEST(BeyondTheExample, TurnsThatFollowTheLength) {
  using attention::RotaryScalingKind;
  for (const Index width : {2, 6}) {
    const attention::RotaryOptions options{
        .scaling = {.kind = RotaryScalingKind::dynamic_ntk, .factor = 3, .original_length = 41}};
    const auto f = [&](const Tensor& x) { return attention::rotary(x, options); };
    const GraphModule back(exported(randn({3, width}), f));
    const NoGrad scope;
    for (const Index length : {3, 41, 59, 101}) {
      const Tensor x = randn({length, width});
      EXPECT_TRUE(back.run(std::vector<Tensor>{x})[0].allclose(f(x), 1e-5, 1e-5)) << length;
    }
  }
}

}  // namespace
}  // namespace heed::onnx
