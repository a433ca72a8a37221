#include "../../../../attention/mechanisms/hard/glimpse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::Each;
using testing::Lt;

constexpr Index kB = 3, kN = 2;
const GlimpseOptions kSmall{
    .channels = 2, .size = 3, .scales = 2, .hidden = 5, .width = 7, .dtype = DType::f64};

// W x + b for one row.
std::vector<double> affine(const nn::Linear& layer, const std::vector<double>& x, bool rectify) {
  const auto w = numbers(layer.weight), b = numbers(layer.bias);
  std::vector<double> out = b;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += w[i * x.size() + j] * x[j];
    if (rectify) out[i] = std::max(out[i], 0.0);
  }
  return out;
}

TEST(GlimpseNetwork, IsThePapersFormula) {
  manual_seed(3);
  const GlimpseNetwork network(kSmall);
  const Tensor images = randn({kB, 2, 11, 13}, DType::f64);
  const Tensor centres = randn({kB, kN, 2}, DType::f64) * 0.5;
  const auto seen = numbers(glimpse_sensor(images, centres, 3, 2)), places = numbers(centres);
  const Index features = 2 * 2 * 3 * 3;
  std::vector<double> expected;
  for (Index i = 0; i < kB * kN; ++i) {
    const auto rho = seen.begin() + i * features;
    const auto l = places.begin() + i * 2;
    const auto what =
        affine(network.what_out, affine(network.what, {rho, rho + features}, true), false);
    const auto where = affine(network.where_out, affine(network.where, {l, l + 2}, true), false);
    for (std::size_t j = 0; j < what.size(); ++j) {
      expected.push_back(std::max(what[j] + where[j], 0.0));
    }
  }
  const Tensor out = network(images, centres);
  EXPECT_EQ(out.shape(), (Shape{kB, kN, 7}));
  EXPECT_THAT(numbers(out), near(expected));
}

TEST(GlimpseNetwork, GradientsReachParametersAndImages) {
  manual_seed(4);
  GlimpseNetwork network(kSmall);
  const Tensor centres = rand({kB, 2}, DType::f64) - 0.3;
  Tensor images = randn({kB, 2, 5, 7}, DType::f64);
  images.set_requires_grad();
  const auto report =
      nn::gradcheck(network, [&] { return network(images, centres); }, {}, {{"images", images}});
  EXPECT_TRUE(report) << report.text();
  const auto second = nn::gradgradcheck(network, [&] { return network(images, centres); },
                                        {.max_elements = 17}, {{"images", images}});
  EXPECT_TRUE(second) << second.text();
}

TEST(GlimpseNetwork, RefusesWhatDoesNotFit) {
  const auto make = [](GlimpseOptions options) { GlimpseNetwork{options}; };
  EXPECT_ERROR(ValueError, "GlimpseNetwork: channels 0 must be positive", make({.channels = 0}));
  EXPECT_ERROR_WITH(ValueError, "GlimpseNetwork: size 0", make({.size = 0}));
  EXPECT_ERROR_WITH(ValueError, "GlimpseNetwork: size 8 and scales 20", make({.scales = 20}));
  EXPECT_ERROR_WITH(ValueError, "widths must be positive", make({.hidden = 0}));
  EXPECT_ERROR_WITH(ValueError, "widths must be positive", make({.width = -1}));
  const GlimpseNetwork network(kSmall);
  const Tensor centres = zeros({kB, 2}, DType::f64);
  EXPECT_ERROR(ShapeError, "GlimpseNetwork: images must be [B, 2, H, W], not f64[3, 3, 5, 7]",
               network(zeros({kB, 3, 5, 7}, DType::f64), centres));
  EXPECT_ERROR(GradError, "GlimpseNetwork: images is undefined", network(Tensor(), centres));
}

TEST(LocationNetwork, ItsMeansAreLinear) {
  const LocationNetwork network(7, DType::f64);
  const Tensor h = randn({kB, kN, 7}, DType::f64) * 3.0;
  EXPECT_EQ(numbers(network(h)), numbers(network.linear(h)));
}

TEST(LocationNetwork, BoundedMeansStayWithinTheImage) {
  manual_seed(5);
  LocationNetwork network(7, DType::f64, true);
  const Tensor h = randn({kB, kN, 7}, DType::f64) * 3.0;
  const auto state = numbers(h);
  std::vector<double> expected;
  for (Index i = 0; i < kB * kN; ++i) {
    const auto row = state.begin() + i * 7;
    for (const double x : affine(network.linear, {row, row + 7}, false)) {
      expected.push_back(std::tanh(x));
    }
  }
  EXPECT_THAT(numbers(network(h)), near(expected));
  EXPECT_THAT(expected, Each(testing::AllOf(Lt(1), testing::Gt(-1))));
  const auto report = nn::gradcheck(network, h);
  EXPECT_TRUE(report) << report.text();
  EXPECT_ERROR_WITH(ValueError, "positive", LocationNetwork(0));
}

}  // namespace
}  // namespace heed::attention
