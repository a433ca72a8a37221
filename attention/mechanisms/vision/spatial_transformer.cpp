#include "spatial_transformer.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/feature_map.h"

namespace heed::attention {
namespace {

SpatialTransformerOptions checked(const SpatialTransformerOptions& o) {
  if (o.features <= 0 || o.height <= 0 || o.width <= 0) {
    throw ValueError(
        fmt::format("spatial_transformer: features {} and a window of {} x {} must be positive",
                    o.features, o.height, o.width));
  }
  return o;
}

}  // namespace

SpatialTransformer::SpatialTransformer(const SpatialTransformerOptions& options)
    : localisation(child<nn::Linear>("localisation", checked(options).features,
                                     options.kind == SpatialTransform::affine ? 6 : 3, true,
                                     options.dtype)),
      options_(options) {
  nn::zeros_(localisation.weight);
  const std::vector<double> identity = options.kind == SpatialTransform::affine
                                           ? std::vector<double>{1, 0, 0, 0, 1, 0}
                                           : std::vector<double>{1, 0, 0};
  localisation.load_state_dict(
      {{"weight", localisation.weight.detach()}, {"bias", tensor(identity, options.dtype)}});
}

SpatiallyTransformed SpatialTransformer::operator()(const Tensor& map,
                                                    const Tensor& features) const {
  const Scope scope(*this);
  check_defined("spatial_transformer", map, "map", features, "features");
  if (map.rank() != 4) {
    throw ShapeError("spatial_transformer: map must be [B, C, H, W], not " + describe(map));
  }
  check_map("spatial_transformer", map, map.size(1), localisation.weight.dtype());
  const Index B = map.size(0);
  if (!(features.shape() == Shape{B, options_.features}) ||
      features.dtype() != localisation.weight.dtype()) {
    throw ShapeError(fmt::format("spatial_transformer: features must be {}[{}, {}], not {}",
                                 name(localisation.weight.dtype()), B, options_.features,
                                 describe(features)));
  }
  Tensor theta = localisation(features);
  if (options_.kind == SpatialTransform::attention) {
    const Tensor s = narrow(theta, 1, 0, 1), x = narrow(theta, 1, 1, 1), y = narrow(theta, 1, 2, 1);
    theta = concat({s, 0 * s, x, 0 * s, s, y}, 1);
  }
  theta = reshape(theta, Shape{B, 2, 3});
  const Tensor places = affine_grid(theta, options_.height, options_.width);
  const Tensor output = grid_sample(map, places, {.padding = options_.padding});
  return {forwarded(output), theta};
}

}  // namespace heed::attention
