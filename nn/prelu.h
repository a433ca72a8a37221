// prelu() as a layer: the formula stands there.
#pragma once

#include "../autograd/ops/elementwise/prelu.h"
#include "layer.h"

namespace heed::nn {

class PReLU : public Layer<PReLU> {
 public:
  /// One slope, or one a channel. Throws ValueError unless count is positive and begin finite.
  explicit PReLU(Index count = 1, double begin = 0.25, DType dtype = DType::f32);

  Tensor& weight;  ///< [count]

  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(prelu(x, weight));
  }

 private:
  friend class Sequential;
  PReLU(PReLU&&) = default;
};

}  // namespace heed::nn
