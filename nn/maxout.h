// Maxout (Goodfellow et al. 2013): the largest of several affine maps, a learned convex function a
// unit: y_j = max_k (W_jk x + b_jk).
#pragma once

#include "linear.h"

namespace heed::nn {

class Maxout : public Layer<Maxout> {
 public:
  /// Throws ValueError unless all are positive, ShapeError when out pieces overflows.
  Maxout(Index in, Index out, Index pieces = 2, DType dtype = DType::f32);

  Linear& linear;  ///< to [.., out pieces]; the pieces of a unit lie side by side

  /// x [.., in] -> [.., out]; pieces that are equal share the gradient. Throws ShapeError,
  /// DTypeError.
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  Maxout(Maxout&&) = default;
  Index pieces_;
};

}  // namespace heed::nn
