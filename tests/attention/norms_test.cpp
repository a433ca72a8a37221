// What norms add to the variance: seen where there is hardly any.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../nn/layer_norm.h"

namespace heed::attention {
namespace {

// A thousandth up and down, whose variance is a millionth.
Tensor nearly_nothing(Index width) {
  std::vector<double> out;
  for (Index i = 0; i < width; ++i) out.push_back(i % 2 == 0 ? 1e-3 : -1e-3);
  return tensor(out, {1, width}, DType::f32);
}

template <class Norm>
void expect_eps(const Norm& norm, double eps) {
  const Index width = norm.weight.size(0);
  ASSERT_EQ(width % 2, 0);
  const double out = select(select(norm(nearly_nothing(width)), 0, 0), 0, 0).item();
  EXPECT_NEAR(out, 1e-3 / std::sqrt(1e-6 + eps), 1e-4) << eps;
}

// All norms of a model, of which there are so many.
template <class Model>
void expect_norms(Model&& model, int count, double layer_eps, double rms_eps = 0) {
  int seen = 0;
  for (nn::Module* each : model.modules()) {
    if (const auto* layer = dynamic_cast<const nn::LayerNorm*>(each)) {
      expect_eps(*layer, layer_eps);
      ++seen;
    } else if (const auto* rms = dynamic_cast<const nn::RMSNorm*>(each)) {
      expect_eps(*rms, rms_eps);
      ++seen;
    } else if (const auto* own = dynamic_cast<const TransformerNorm*>(each)) {
      expect_eps(*own, layer_eps);
      ++seen;
    }
  }
  EXPECT_EQ(seen, count);
}

TEST(Norms, AddAHundredThousandth) {
  expect_norms(TwoStreams({.width = 4, .other_width = 6}), 4, 1e-5);
  expect_norms(SlotAttention({.input = 4, .width = 6}), 3, 1e-5);
  expect_norms(PerceiverRead({.width = 4, .input_width = 6}), 3, 1e-5);
  expect_norms(SetBlock({.width = 4}), 2, 1e-5);
  expect_norms(Luna({.width = 4, .length = 3, .layers = 2}, 0), 1, 1e-5);
  expect_norms(Swin({.classes = 2, .width = 6, .depths = {1, 1}, .heads = {1, 1}, .window = 2}), 7,
               1e-5);
  expect_norms(TransformerEncoder(1, {.width = 4, .heads = 1, .hidden = 3}, true), 3, 1e-5);
  expect_norms(TransformerEncoder(1, {.width = 4, .heads = 1, .hidden = 3, .eps = 3e-5}, true), 3,
               3e-5);
  const LinearOptions linear{.width = 8, .heads = 2};
  expect_norms(DeltaNet(linear), 1, 0, 1e-5);
  expect_norms(GatedDeltaNet(linear), 1, 0, 1e-5);
  expect_norms(GatedLinearAttention(linear), 1, 0, 1e-5);
  expect_norms(StateSpaceDuality(linear), 1, 0, 1e-5);
}

TEST(Norms, AddAMillionth) {
  expect_norms(LatentHeads({.width = 4, .latent = 4, .query_latent = 6, .head_width = 3}), 2, 0,
               1e-6);
  const MultiTokenPrediction ahead(
      {.depth = 2, .transformer = {.width = 4, .heads = 1, .hidden = 3}});
  for (std::size_t i = 0; i < 2; ++i) {
    expect_eps(ahead.state_norms[i], 1e-6);
    expect_eps(ahead.token_norms[i], 1e-6);
  }
}

}  // namespace
}  // namespace heed::attention
