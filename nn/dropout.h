// Dropout as a layer: active in training mode, nothing in evaluation mode.
#pragma once

#include "module.h"

namespace heed {
class Generator;
}

namespace heed::nn {

class Dropout : public Module {
 public:
  /// Drops each element with probability `p`. Draws from `generator`, which must outlive the layer,
  /// or from the default one. Throws ValueError unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5, Generator* generator = nullptr);

  /// x, of which in training each element is 0 with probability p, else x / (1 - p). f32, f64.
  Tensor operator()(const Tensor& x) const;

  double p() const { return p_; }

 private:
  double p_;
  Generator* generator_;
};

}  // namespace heed::nn
