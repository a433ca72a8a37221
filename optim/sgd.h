// Stochastic gradient descent, as PyTorch's:
//   g = g + weight_decay p
//   b = momentum b + (1 - dampening) g      (b = g in the first step)
//   p = p - lr b                            (nesterov: p - lr (g + momentum b))
#pragma once

#include "optimizer_of.h"

namespace heed::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  ///< wants a momentum and no dampening
};

class SGD final : public OptimizerOf<SGD, SGDOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  SGD(const std::vector<Tensor>& parameters, double lr, double momentum)
      : OptimizerOf(parameters, {.lr = lr, .momentum = momentum}) {}
  static constexpr const char* kName = "SGD";
  static std::vector<std::string> state_names(const SGDOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
