// Dropout as a layer: active in training mode, nothing in evaluation mode.
#pragma once

#include "layer.h"

namespace heed {
class Generator;
}

namespace heed::nn {

struct DropoutOptions {
  double p = 0.5;
};

class Dropout : public Layer<Dropout> {
 public:
  /// Drops each element with probability `p`. Draws from `generator`, which must outlive the layer,
  /// or from the default one. Throws ValueError unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5, Generator* generator = nullptr);
  explicit Dropout(const DropoutOptions& options) : Dropout(options.p) {}
  Dropout(double, bool, Say<"nn::Dropout(p): nothing is written in place"> = {}) = delete;

  /// x, of which in training each element is 0 with probability p, else x / (1 - p). f32, f64.
  Tensor operator()(const Tensor& x) const;

  double p() const { return p_; }

 private:
  friend class Sequential;
  Dropout(Dropout&&) = default;
  double p_;
  Generator* generator_;
};

/// Whole channels are dropped, or kept: x [B, C, L], [B, C, H, W] or [B, C, D, H, W].
class Dropout2d : public Layer<Dropout2d> {
 public:
  /// As Dropout.
  explicit Dropout2d(double p = 0.5, Generator* generator = nullptr);
  explicit Dropout2d(const DropoutOptions& options) : Dropout2d(options.p) {}
  Dropout2d(double, bool, Say<"nn::Dropout2d(p): nothing is written in place"> = {}) = delete;
  /// Throws ShapeError below rank 2, DTypeError.
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  Dropout2d(Dropout2d&&) = default;
  double p_;
  Generator* generator_;
};
using Dropout1d = Dropout2d;
using Dropout3d = Dropout2d;

}  // namespace heed::nn
