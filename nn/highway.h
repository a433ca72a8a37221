// Highway (Srivastava, Greff & Schmidhuber 2015): a layer that learns how much of itself to use,
//
//   y = t * f(W_h x + b_h) + (1 - t) * x,    t = sigmoid(W_t x + b_t).
//
// b_t begins negative, so that a deep stack begins by passing x on. The paper's H is `transform`,
// its T is `gate`.
#pragma once

#include <functional>

#include "linear.h"

namespace heed::nn {

class Highway : public Layer<Highway> {
 public:
  /// f is relu unless given. Throws ValueError unless width is positive and gate_bias finite.
  explicit Highway(Index width, double gate_bias = -2,
                   std::function<Tensor(const Tensor&)> activation = {}, DType dtype = DType::f32);

  Linear& transform;
  Linear& gate;

  /// x [.., width] -> [.., width]. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  Highway(Highway&&) = default;
  std::function<Tensor(const Tensor&)> activation_;
};

}  // namespace heed::nn
