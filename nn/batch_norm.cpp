#include "batch_norm.h"

#include <fmt/format.h>

#include "../autograd/ops/normalise/batch_norm.h"
#include "../autograd/ops/normalise/standardize.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

const BatchNormOptions& checked(const char* layer, Index channels,
                                const BatchNormOptions& options) {
  if (channels <= 0) {
    throw ValueError(fmt::format("{}: channels {} must be positive", layer, channels));
  }
  check_eps(layer, options.eps);
  if (options.momentum && !(*options.momentum >= 0 && *options.momentum <= 1)) {
    throw ValueError(fmt::format("{}: momentum {} is not in [0, 1]", layer, *options.momentum));
  }
  return options;
}

}  // namespace

template <class T>
BatchNorm<T>::BatchNorm(const char* name, Index channels, const BatchNormOptions& options)
    : weight(this->parameter("weight", checked(name, channels, options).affine
                                           ? ones({channels}, options.dtype)
                                           : Tensor())),
      bias(this->parameter("bias", options.affine ? zeros({channels}, options.dtype) : Tensor())),
      running_mean(this->buffer("running_mean", options.track_running_stats
                                                    ? zeros({channels}, options.dtype)
                                                    : Tensor())),
      running_var(this->buffer(
          "running_var", options.track_running_stats ? ones({channels}, options.dtype) : Tensor())),
      num_batches_tracked(this->buffer(
          "num_batches_tracked", options.track_running_stats ? zeros({}, DType::i64) : Tensor())),
      options_(options) {}

template <class T>
Tensor BatchNorm<T>::run(const Tensor& x) const {
  const Scope scope(*this);
  const double eps = options_.eps;
  if (!options_.track_running_stats) {
    return this->forwarded(batch_norm(x, {}, {}, weight, bias, true, 0, eps));
  }
  if (!this->training()) {
    return this->forwarded(batch_norm(x, running_mean, running_var, weight, bias, false, 0, eps));
  }
  const std::int64_t count = *num_batches_tracked.array().data<std::int64_t>() + 1;
  // The first of n batches has a weight of 1 / n in the end, as all of them.
  const double momentum = options_.momentum.value_or(1 / static_cast<double>(count));
  const Tensor y = batch_norm(x, running_mean, running_var, weight, bias, true, momentum, eps);
  Tensor(num_batches_tracked).copy_from(Tensor(Array::from<std::int64_t>({count}, {})));
  return this->forwarded(y);
}

template class BatchNorm<BatchNorm1d>;
template class BatchNorm<BatchNorm2d>;

BatchNorm1d::BatchNorm1d(Index channels, const BatchNormOptions& options)
    : BatchNorm("BatchNorm1d", channels, options) {}

Tensor BatchNorm1d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (x.rank() != 2 && x.rank() != 3) {
    throw ShapeError(
        fmt::format("BatchNorm1d: x must be [N, C] or [N, C, L], not {}", describe(x)));
  }
  return run(x);
}

BatchNorm2d::BatchNorm2d(Index channels, const BatchNormOptions& options)
    : BatchNorm("BatchNorm2d", channels, options) {}

Tensor BatchNorm2d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (x.rank() != 4) {
    throw ShapeError(fmt::format("BatchNorm2d: x must be [N, C, H, W], not {}", describe(x)));
  }
  return run(x);
}

}  // namespace heed::nn
