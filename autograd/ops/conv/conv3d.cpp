#include "conv3d.h"

#include "../shape/join.h"
#include "../shape/shape.h"
#include "conv.h"
#include "conv_check.h"

namespace heed {

Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv3dOptions& options) {
  const char* op = "conv3d";
  const auto& [stride, padding, dilation, groups, same] = options;
  check_one_dtype(op, x, "x", weight, "weight");
  check_conv_channels(op, 3, x.shape(), weight.shape(), groups);
  const Index O = weight.size(0), KD = weight.size(2), KH = weight.size(3), KW = weight.size(4);
  const auto z = conv_axis(op, x.size(-3), KD, stride.z, padding.z, dilation.z, same);
  const auto down = conv_axis(op, x.size(-2), KH, stride.y, padding.y, dilation.y, same);
  const auto along = conv_axis(op, x.size(-1), KW, stride.x, padding.x, dilation.x, same);
  checked_mul(op, checked_mul(op, z.out, down.out), along.out);
  checked_mul(op, checked_mul(op, KD, KH), KW);
  check_conv_bias(op, x, weight, bias);
  if (x.rank() == 4) return squeeze(conv3d(unsqueeze(x, 0), weight, bias, options), 0);

  const Index B = x.size(0), C = x.size(1);
  const Tensor deep = conv_padded(x, 2, z);
  std::vector<Tensor> taps;
  for (Index k = 0; k < KD; ++k) taps.push_back(conv_tap(deep, 2, z, k));
  // A channel's taps stand together, as they do in the weight: groups stay whole.
  const Tensor planes = permute(stack(taps, 2), {0, 3, 1, 2, 4, 5});  // [B, D', C, KD, H, W]
  const Tensor out = conv2d(reshape(planes, {B * z.out, C * KD, x.size(3), x.size(4)}),
                            reshape(weight, {O, weight.size(1) * KD, KH, KW}), bias,
                            {.stride = {stride.y, stride.x},
                             .padding = {padding.y, padding.x},
                             .dilation = {dilation.y, dilation.x},
                             .groups = groups,
                             .same = same});
  return permute(reshape(out, {B, z.out, O, down.out, along.out}), {0, 2, 1, 3, 4});
}

}  // namespace heed
