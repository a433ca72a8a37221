// glu() as a layer: the formula stands there.
#pragma once

#include "../autograd/ops/elementwise/glu.h"
#include "layer.h"

namespace heed::nn {

class GLU : public Layer<GLU> {
 public:
  /// Throws ValueError for an axis that no tensor has.
  explicit GLU(Index axis = -1);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(glu(x, axis_));
  }

 private:
  friend class Sequential;
  GLU(GLU&&) = default;
  Index axis_;
};

}  // namespace heed::nn
