#include "conv.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/conv/window.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

// What fits no x, of one axis.
void check_axis(const char* layer, Index kernel, Index stride, Index padding, Index dilation,
                bool same) {
  check_window(layer,
               {.kernel = kernel, .stride = stride, .padding = padding, .dilation = dilation});
  if (same && (stride != 1 || padding != 0)) {
    throw ValueError(
        fmt::format("{}: same goes with stride 1 and padding 0, not with stride {} and padding {}",
                    layer, stride, padding));
  }
}

Shape weight_shape(const char* layer, Index in, Index out, std::initializer_list<Index> kernel,
                   Index groups) {
  if (in <= 0 || out <= 0 || groups <= 0 || in % groups != 0 || out % groups != 0) {
    throw ValueError(fmt::format(
        "{}: channels must be positive and multiples of groups: in {}, out {}, groups {}", layer,
        in, out, groups));
  }
  Shape shape{out, in / groups};
  for (const Index size : kernel) shape.push_back(size);
  return shape;
}

// PyTorch's kaiming_uniform(a = sqrt 5) of the weight comes to the same bound as its bias'.
Tensor begin(const Shape& shape, const Shape& weight, DType dtype) {
  const auto fan_in = static_cast<double>(weight.without(0).numel());
  const double bound = 1 / std::sqrt(fan_in);
  return default_generator().uniform(shape, -bound, bound, dtype);
}

Tensor begin_weight(const Shape& shape, DType dtype) { return begin(shape, shape, dtype); }

Shape checked_shape(Index in, Index out, Index kernel, const Conv1dOptions& o) {
  check_axis("Conv1d", kernel, o.stride, o.padding, o.dilation, o.same);
  return weight_shape("Conv1d", in, out, {kernel}, o.groups);
}

Shape checked_shape(Index in, Index out, PerAxis kernel, const Conv2dOptions& o) {
  check_axis("Conv2d", kernel.y, o.stride.y, o.padding.y, o.dilation.y, o.same);
  check_axis("Conv2d", kernel.x, o.stride.x, o.padding.x, o.dilation.x, o.same);
  return weight_shape("Conv2d", in, out, {kernel.y, kernel.x}, o.groups);
}

Shape checked_shape(Index in, Index out, Triple kernel, const Conv3dOptions& o) {
  check_axis("Conv3d", kernel.z, o.stride.z, o.padding.z, o.dilation.z, o.same);
  check_axis("Conv3d", kernel.y, o.stride.y, o.padding.y, o.dilation.y, o.same);
  check_axis("Conv3d", kernel.x, o.stride.x, o.padding.x, o.dilation.x, o.same);
  return weight_shape("Conv3d", in, out, {kernel.z, kernel.y, kernel.x}, o.groups);
}

}  // namespace

Conv1d::Conv1d(Index in, Index out, Index kernel, const Conv1dOptions& options, bool with_bias,
               DType dtype)
    : weight(parameter("weight", begin_weight(checked_shape(in, out, kernel, options), dtype))),
      bias(parameter("bias", with_bias ? begin({out}, weight.shape(), dtype) : Tensor())),
      options_(options) {}

Tensor Conv1d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(conv1d(x, weight, bias, options_));
}

Conv2d::Conv2d(Index in, Index out, PerAxis kernel, const Conv2dOptions& options, bool with_bias,
               DType dtype)
    : weight(parameter("weight", begin_weight(checked_shape(in, out, kernel, options), dtype))),
      bias(parameter("bias", with_bias ? begin({out}, weight.shape(), dtype) : Tensor())),
      options_(options) {}

Tensor Conv2d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(conv2d(x, weight, bias, options_));
}

Conv3d::Conv3d(Index in, Index out, Triple kernel, const Conv3dOptions& options, bool with_bias,
               DType dtype)
    : weight(parameter("weight", begin_weight(checked_shape(in, out, kernel, options), dtype))),
      bias(parameter("bias", with_bias ? begin({out}, weight.shape(), dtype) : Tensor())),
      options_(options) {}

Tensor Conv3d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(conv3d(x, weight, bias, options_));
}

}  // namespace heed::nn
