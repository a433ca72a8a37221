// Linear: y = x W^T + b. x [.., in] -> [.., out].
#pragma once

#include "layer.h"

namespace heed::nn {

class Linear : public Layer<Linear> {
 public:
  /// Both parameters begin uniform in (-1/sqrt(in), 1/sqrt(in)), as PyTorch's. Throws ValueError
  /// unless both widths are positive.
  Linear(Index in, Index out, bool with_bias = true, DType dtype = DType::f32);

  Tensor& weight;  ///< [out, in]
  Tensor& bias;    ///< [out]; undefined without bias

  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  Linear(Linear&&) = default;
};

}  // namespace heed::nn
