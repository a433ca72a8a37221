#include "conv.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

Shape weight_shape(const char* layer, Index in, Index out, std::initializer_list<Index> kernel,
                   Index groups) {
  for (const Index size : kernel) {
    if (size <= 0)
      throw ValueError(fmt::format("{}: kernel must be positive, not {}", layer, size));
  }
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

}  // namespace

Conv1d::Conv1d(Index in, Index out, Index kernel, const Conv1dOptions& options, bool with_bias,
               DType dtype)
    : weight(parameter("weight",
                       [&] {
                         const Shape shape =
                             weight_shape("Conv1d", in, out, {kernel}, options.groups);
                         return begin(shape, shape, dtype);
                       }())),
      bias(parameter("bias", with_bias ? begin({out}, weight.shape(), dtype) : Tensor())),
      options_(options) {}

Tensor Conv1d::operator()(const Tensor& x) const { return conv1d(x, weight, bias, options_); }

Conv2d::Conv2d(Index in, Index out, Pair kernel, const Conv2dOptions& options, bool with_bias,
               DType dtype)
    : weight(parameter("weight",
                       [&] {
                         const Shape shape =
                             weight_shape("Conv2d", in, out, {kernel.y, kernel.x}, options.groups);
                         return begin(shape, shape, dtype);
                       }())),
      bias(parameter("bias", with_bias ? begin({out}, weight.shape(), dtype) : Tensor())),
      options_(options) {}

Tensor Conv2d::operator()(const Tensor& x) const { return conv2d(x, weight, bias, options_); }

}  // namespace heed::nn
