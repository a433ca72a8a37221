// Batch normalisation (Ioffe & Szegedy 2015) as layers: by the batch's own moments in training, by
// running averages in evaluation. Parameters and buffers have PyTorch's names: weight, bias,
// running_mean, running_var, num_batches_tracked.
#pragma once

#include <concepts>
#include <optional>

#include "layer.h"

namespace heed::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  /// How far the running averages move towards each batch; none: they weigh all batches the same.
  std::optional<double> momentum = 0.1;
  bool affine = true;               ///< has weight and bias
  bool track_running_stats = true;  ///< without: no buffers, the batch counts in evaluation too
  DType dtype = DType::f32;
};

/// What BatchNorm1d and BatchNorm2d share; T is one of them.
template <class T>
class BatchNorm : public Layer<T> {
 public:
  using Options = BatchNormOptions;
  Tensor& weight;  ///< [C], as all of them but the count; undefined without affine
  Tensor& bias;
  Tensor& running_mean;  ///< undefined, as the next two, without track_running_stats
  Tensor& running_var;
  Tensor& num_batches_tracked;  ///< i64, rank 0

 protected:
  BatchNorm(const char* name, Index channels, const BatchNormOptions& options);
  BatchNorm(BatchNorm&&) = default;
  Tensor run(const Tensor& x) const;

 private:
  BatchNormOptions options_;
};

class BatchNorm1d : public BatchNorm<BatchNorm1d> {
 public:
  /// Throws ValueError unless channels > 0, eps >= 0 and momentum is in [0, 1].
  explicit BatchNorm1d(Index channels, const BatchNormOptions& options = {});
  /// The options one by one, in PyTorch's order.
  template <std::floating_point T>
  BatchNorm1d(Index channels, T eps, std::optional<double> momentum = 0.1, bool affine = true,
              bool track_running_stats = true)
      : BatchNorm1d(channels, {.eps = eps,
                               .momentum = momentum,
                               .affine = affine,
                               .track_running_stats = track_running_stats}) {}
  /// x [N, C] or [N, C, L]. Throws ShapeError for other ranks, and as heed::batch_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  BatchNorm1d(BatchNorm1d&&) = default;
};

class BatchNorm2d : public BatchNorm<BatchNorm2d> {
 public:
  /// Throws ValueError unless channels > 0, eps >= 0 and momentum is in [0, 1].
  explicit BatchNorm2d(Index channels, const BatchNormOptions& options = {});
  /// The options one by one, in PyTorch's order.
  template <std::floating_point T>
  BatchNorm2d(Index channels, T eps, std::optional<double> momentum = 0.1, bool affine = true,
              bool track_running_stats = true)
      : BatchNorm2d(channels, {.eps = eps,
                               .momentum = momentum,
                               .affine = affine,
                               .track_running_stats = track_running_stats}) {}
  /// x [N, C, H, W]. Throws ShapeError for other ranks, and as heed::batch_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  BatchNorm2d(BatchNorm2d&&) = default;
};

}  // namespace heed::nn
