// Exported models beyond their example: in ranges that no pass met, and at the ends of functions.
#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../../nn/linear.h"
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

}  // namespace
}  // namespace heed::onnx
