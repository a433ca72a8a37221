// glu() as a layer: the formula stands there.
#pragma once

#include "../autograd/ops/glu.h"
#include "module.h"

namespace heed::nn {

class GLU : public Module {
 public:
  /// Throws ValueError for an axis that no tensor has.
  explicit GLU(Index axis = -1);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(glu(x, axis_));
  }

 private:
  Index axis_;
};

}  // namespace heed::nn
