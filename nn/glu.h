// glu() as a layer: the formula stands there.
#pragma once

#include "../autograd/ops/glu.h"
#include "module.h"

namespace heed::nn {

class GLU : public Module {
 public:
  explicit GLU(Index axis = -1) : axis_(axis) {}
  Tensor operator()(const Tensor& x) const { return glu(x, axis_); }

 private:
  Index axis_;
};

}  // namespace heed::nn
