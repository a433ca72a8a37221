#include "squeeze_excitation.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"

namespace heed::attention {

Index bottleneck(const char* op, Index channels, Index reduction) {
  if (reduction < 1 || reduction > channels) {
    throw ValueError(
        fmt::format("{}: {} channels cannot be reduced to one of {}", op, channels, reduction));
  }
  return channels / reduction;
}

SqueezeExcitation::SqueezeExcitation(Index channels, Index reduction, DType dtype)
    : fc1(child<nn::Linear>("fc1", channels, bottleneck("squeeze_excitation", channels, reduction),
                            true, dtype)),
      fc2(child<nn::Linear>("fc2", channels / reduction, channels, true, dtype)) {}

Attended SqueezeExcitation::operator()(const Tensor& map, bool need_weights) const {
  const Scope scope(*this);
  check_map("squeeze_excitation", map, fc1.weight.size(1), fc1.weight.dtype());
  const Tensor z = mean(map, {2, 3});           // [B, C]
  const Tensor s = sigmoid(fc2(relu(fc1(z))));  // [B, C]
  const Tensor y = map * unsqueeze(unsqueeze(s, 2), 3);
  return {forwarded(y), need_weights ? s : Tensor()};
}

}  // namespace heed::attention
