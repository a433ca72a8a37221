#include "conv_transpose.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

Tensor begin_weight(const char* layer, Index in, Index out, std::initializer_list<Index> kernel,
                    Index groups, DType dtype) {
  if (in <= 0 || out <= 0 || groups <= 0 || in % groups != 0 || out % groups != 0) {
    throw ValueError(fmt::format(
        "{}: channels must be positive and multiples of groups: in {}, out {}, groups {}", layer,
        in, out, groups));
  }
  Shape shape{in, out / groups};
  for (const Index size : kernel) {
    if (size <= 0) throw ValueError(fmt::format("{}: kernel {} must be positive", layer, size));
    shape.push_back(size);
  }
  const double bound = 1 / std::sqrt(static_cast<double>(shape.without(0).numel()));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

Tensor begin_bias(const Tensor& weight, Index out, bool with_bias, DType dtype) {
  if (!with_bias) return {};
  const double bound = 1 / std::sqrt(static_cast<double>(weight.shape().without(0).numel()));
  return default_generator().uniform({out}, -bound, bound, dtype);
}

}  // namespace

ConvTranspose1d::ConvTranspose1d(Index in, Index out, Index kernel,
                                 const ConvTranspose1dOptions& options, bool with_bias, DType dtype)
    : weight(parameter("weight",
                       begin_weight("ConvTranspose1d", in, out, {kernel}, options.groups, dtype))),
      bias(parameter("bias", begin_bias(weight, out, with_bias, dtype))),
      options_(options) {}

Tensor ConvTranspose1d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(conv_transpose1d(x, weight, bias, options_));
}

ConvTranspose2d::ConvTranspose2d(Index in, Index out, PerAxis kernel,
                                 const ConvTranspose2dOptions& options, bool with_bias, DType dtype)
    : weight(parameter("weight", begin_weight("ConvTranspose2d", in, out, {kernel.y, kernel.x},
                                              options.groups, dtype))),
      bias(parameter("bias", begin_bias(weight, out, with_bias, dtype))),
      options_(options) {}

Tensor ConvTranspose2d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(conv_transpose2d(x, weight, bias, options_));
}

}  // namespace heed::nn
