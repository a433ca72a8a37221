#include "efficient_channel.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"

namespace heed::attention {
namespace {

Index checked(Index channels, Index kernel) {
  if (channels < 1) {
    throw ValueError(
        fmt::format("efficient_channel_attention: {} channels must be positive", channels));
  }
  if (kernel == 0) return EfficientChannelAttention::kernel_for(channels);
  if (kernel < 0 || kernel % 2 == 0) {
    throw ValueError(
        fmt::format("efficient_channel_attention: kernel {} must be positive and odd", kernel));
  }
  return kernel;
}

}  // namespace

Index EfficientChannelAttention::kernel_for(Index channels) {
  const auto t = static_cast<Index>((std::log2(static_cast<double>(channels)) + 1) / 2);
  return t % 2 == 1 ? t : t + 1;
}

EfficientChannelAttention::EfficientChannelAttention(Index channels, Index kernel, DType dtype)
    : conv(child<nn::Conv1d>("conv", 1, 1, checked(channels, kernel),
                             Conv1dOptions{.padding = checked(channels, kernel) / 2}, false,
                             dtype)),
      channels_(channels) {}

Attended EfficientChannelAttention::operator()(const Tensor& map, bool need_weights) const {
  const Scope scope(*this);
  check_map("efficient_channel_attention", map, channels_, conv.weight.dtype());
  const Tensor z = mean(map, {2, 3});                           // [B, C]
  const Tensor s = sigmoid(squeeze(conv(unsqueeze(z, 1)), 1));  // [B, C]
  const Tensor y = map * unsqueeze(unsqueeze(s, 2), 3);
  return {forwarded(y), need_weights ? s : Tensor()};
}

}  // namespace heed::attention
