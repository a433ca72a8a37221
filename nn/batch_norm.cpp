#include "batch_norm.h"

#include <fmt/format.h>

#include "../autograd/ops/batch_norm.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

Index checked(const char* name, Index channels) {
  if (channels <= 0)
    throw ValueError(fmt::format("{}: channels {} must be positive", name, channels));
  return channels;
}

}  // namespace

BatchNorm::BatchNorm(const char* name, Index channels, const BatchNormOptions& options)
    : weight(parameter("weight",
                       options.affine ? ones({checked(name, channels)}, options.dtype) : Tensor())),
      bias(parameter("bias", options.affine ? zeros({channels}, options.dtype) : Tensor())),
      running_mean(buffer("running_mean", zeros({checked(name, channels)}, options.dtype))),
      running_var(buffer("running_var", ones({channels}, options.dtype))),
      num_batches_tracked(buffer("num_batches_tracked", zeros({}, DType::i64))),
      options_(options) {}

Tensor BatchNorm::run(const Tensor& x) const {
  const Tensor y = batch_norm(x, running_mean, running_var, weight, bias, training(),
                              options_.momentum, options_.eps);
  if (training()) {
    Tensor count = num_batches_tracked;
    count.copy_from(
        Tensor(Array::from<std::int64_t>({*count.array().data<std::int64_t>() + 1}, {})));
  }
  return y;
}

BatchNorm1d::BatchNorm1d(Index channels, const BatchNormOptions& options)
    : BatchNorm("BatchNorm1d", channels, options) {}

Tensor BatchNorm1d::operator()(const Tensor& x) const {
  if (x.rank() != 2 && x.rank() != 3) {
    throw ShapeError(
        fmt::format("BatchNorm1d: x must be [N, C] or [N, C, L], not {}", describe(x)));
  }
  return run(x);
}

BatchNorm2d::BatchNorm2d(Index channels, const BatchNormOptions& options)
    : BatchNorm("BatchNorm2d", channels, options) {}

Tensor BatchNorm2d::operator()(const Tensor& x) const {
  if (x.rank() != 4) {
    throw ShapeError(fmt::format("BatchNorm2d: x must be [N, C, H, W], not {}", describe(x)));
  }
  return run(x);
}

}  // namespace heed::nn
