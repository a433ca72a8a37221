// Bilinear: y_o = x1^T W_o x2 + b_o. x1 [.., in1], x2 [.., in2] -> [.., out].
#pragma once

#include "layer.h"

namespace heed::nn {

class Bilinear : public Layer<Bilinear> {
 public:
  /// Both parameters begin uniform in (-1/sqrt(in1), 1/sqrt(in1)), as PyTorch's. Throws ValueError
  /// unless all widths are positive.
  Bilinear(Index in1, Index in2, Index out, bool with_bias = true, DType dtype = DType::f32);

  Tensor& weight;  ///< [out, in1, in2]
  Tensor& bias;    ///< [out]; undefined without bias

  Tensor operator()(const Tensor& x1, const Tensor& x2) const;
};

}  // namespace heed::nn
