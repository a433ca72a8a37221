#include "../../../../attention/mechanisms/vision/spatial_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kC = 3, kH = 5, kW = 4, kF = 3, kOH = 3, kOW = 2;

SpatialTransformerOptions options(SpatialTransform kind, GridPadding padding) {
  return {.features = kF,
          .height = kOH,
          .width = kOW,
          .kind = kind,
          .padding = padding,
          .dtype = DType::f64};
}

Numbers reference(const Leaves& x, const SpatialTransformerOptions& o) {
  const Block& map = x["map"];
  Block output({kB, kC, kOH, kOW}, std::vector<double>(kB * kC * kOH * kOW));
  Numbers thetas;
  for (Index b = 0; b < kB; ++b) {
    Numbers theta =
        plain::affine(x["localisation.weight"], x["features"].row({b}), x["localisation.bias"]);
    if (o.kind == SpatialTransform::attention) {
      theta = {theta[0], 0, theta[1], 0, theta[0], theta[2]};
    }
    thetas = plain::join({thetas, theta});
    for (Index i = 0; i < kOH * kOW; ++i) {
      const double across = (2.0 * static_cast<double>(i % kOW) + 1) / kOW - 1;
      const double down = (2.0 * static_cast<double>(i / kOW) + 1) / kOH - 1;
      double u = ((theta[0] * across + theta[1] * down + theta[2] + 1) * kW - 1) / 2;
      double v = ((theta[3] * across + theta[4] * down + theta[5] + 1) * kH - 1) / 2;
      if (o.padding == GridPadding::border) {
        u = std::clamp<double>(u, 0, kW - 1);
        v = std::clamp<double>(v, 0, kH - 1);
      }
      for (Index pixel = 0; pixel < kH * kW; ++pixel) {
        const double weight = std::max(0.0, 1 - std::fabs(u - static_cast<double>(pixel % kW))) *
                              std::max(0.0, 1 - std::fabs(v - static_cast<double>(pixel / kW)));
        for (Index c = 0; c < kC; ++c) {
          output.at({b, c, i / kOW, i % kOW}) += weight * map(b, c, pixel / kW, pixel % kW);
        }
      }
    }
  }
  return plain::join({output.values(), thetas});
}

class SpatialTransformers : public SeededTest<53> {
 protected:
  Tensor map = randn({kB, kC, kH, kW}, DType::f64), features = randn({kB, kF}, DType::f64);
};

TEST_F(SpatialTransformers, AreTheDefinition) {
  for (const auto kind : {SpatialTransform::affine, SpatialTransform::attention}) {
    for (const auto padding : {GridPadding::zeros, GridPadding::border}) {
      const SpatialTransformerOptions o = options(kind, padding);
      const SpatialTransformer made(o);
      nn::normal_(made.localisation.weight, 0, 0.3);
      nn::normal_(made.localisation.bias, 0.4, 0.3);
      const auto leaves = plain::leaves_of(made, {{"map", map}, {"features", features}});
      const auto ours = [&] {
        const SpatiallyTransformed out = made(map, features);
        return std::vector<Tensor>{out.output, reshape(out.theta, Shape{kB, 6})};
      };
      plain::expect_same(leaves, ours, [&](const Leaves& x) { return reference(x, o); });
      plain::expect_gradients(leaves, ours);
    }
  }
}

TEST_F(SpatialTransformers, BeginAsTheIdentity) {
  for (const auto kind : {SpatialTransform::affine, SpatialTransform::attention}) {
    SpatialTransformerOptions o = options(kind, GridPadding::zeros);
    o.height = kH;
    o.width = kW;
    EXPECT_LT(difference(SpatialTransformer(o)(map, features).output, map), 1e-12);
  }
}

TEST_F(SpatialTransformers, RefuseWhatDoesNotFit) {
  SpatialTransformerOptions wrong = options(SpatialTransform::affine, GridPadding::zeros);
  wrong.height = 0;
  EXPECT_ERROR(ValueError, "spatial_transformer: features 3 and a window of 0 x 2 must be positive",
               SpatialTransformer{wrong});
  const SpatialTransformer made(options(SpatialTransform::affine, GridPadding::zeros));
  EXPECT_ERROR(ShapeError, "spatial_transformer: features must be f64[2, 3], not f64[2, 4]",
               made(map, zeros({kB, 4}, DType::f64)));
  EXPECT_ERROR(ShapeError, "spatial_transformer: features must be f64[2, 3], not f32[2, 3]",
               made(map, zeros({kB, kF})));
  EXPECT_ERROR(ShapeError, "spatial_transformer: map must be [B, C, H, W], not f64[2, 3]",
               made(features, features));
  EXPECT_ERROR(DTypeError, "spatial_transformer: map is f32[2, 3, 5, 4], the weights are f64",
               made(zeros({kB, kC, kH, kW}), features));
  EXPECT_ERROR(GradError, "spatial_transformer: features is undefined", made(map, Tensor()));
}

}  // namespace
}  // namespace heed::attention
