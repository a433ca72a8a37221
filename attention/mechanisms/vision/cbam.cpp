#include "cbam.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"
#include "squeeze_excitation.h"

namespace heed::attention {
namespace {

Index checked_kernel(Index kernel) {
  if (kernel > 0 && kernel % 2 == 1) return kernel;
  throw ValueError(fmt::format("place_gate: kernel {} must be positive and odd", kernel));
}

}  // namespace

ChannelGate::ChannelGate(Index channels, Index reduction, DType dtype)
    : fc1(child<nn::Linear>("fc1", channels, bottleneck("channel_gate", channels, reduction), true,
                            dtype)),
      fc2(child<nn::Linear>("fc2", channels / reduction, channels, true, dtype)) {}

Attended ChannelGate::operator()(const Tensor& map, bool need_weights) const {
  const Scope scope(*this);
  check_map("channel_gate", map, fc1.weight.size(1), fc1.weight.dtype());
  const auto mlp = [&](const Tensor& v) { return fc2(relu(fc1(v))); };
  const Tensor gates = sigmoid(mlp(mean(map, {2, 3})) + mlp(amax(map, {2, 3})));  // [B, C]
  const Tensor y = map * unsqueeze(unsqueeze(gates, 2), 3);
  return {forwarded(y), need_weights ? gates : Tensor()};
}

PlaceGate::PlaceGate(Index kernel, DType dtype)
    : conv(child<nn::Conv2d>("conv", 2, 1, PerAxis(checked_kernel(kernel)),
                             Conv2dOptions{.padding = kernel / 2}, false, dtype)) {}

Attended PlaceGate::operator()(const Tensor& map, bool need_weights) const {
  const Scope scope(*this);
  check_defined("place_gate", map, "map");
  if (map.rank() != 4 || map.size(1) == 0) {
    throw ShapeError("place_gate: map must be [B, C, H, W] with channels, not " + describe(map));
  }
  check_map("place_gate", map, map.size(1), conv.weight.dtype());
  const Tensor summary = concat({mean(map, {1}, true), amax(map, {1}, true)}, 1);  // [B, 2, H, W]
  const Tensor gates = sigmoid(conv(summary));                                     // [B, 1, H, W]
  const Tensor z = map * gates;
  return {forwarded(z), need_weights ? squeeze(gates, 1) : Tensor()};
}

CBAM::CBAM(Index count, Index reduction, Index kernel, DType dtype)
    : channels(child<ChannelGate>("channels", count, reduction, dtype)),
      places(child<PlaceGate>("places", kernel, dtype)) {}

Attended CBAM::operator()(const Tensor& map, bool need_weights) const {
  const Scope scope(*this);
  const Tensor y = channels(map).context;
  Attended z = places(y, need_weights);
  z.context = forwarded(z.context);
  return z;
}

}  // namespace heed::attention
