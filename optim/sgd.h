// Stochastic gradient descent, as PyTorch's:
//   g = g + weight_decay p
//   b = momentum b + (1 - dampening) g      (b = g in the first step)
//   p = p - lr b                            (nesterov: p - lr (g + momentum b))
#pragma once

#include "optimizer.h"

namespace heed::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  ///< wants a momentum and no dampening
};

class SGD final : public Optimizer {
 public:
  /// Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit SGD(const std::vector<Tensor>& parameters, const SGDOptions& options = {});
  explicit SGD(const std::vector<ParameterGroup<SGDOptions>>& groups);
  template <std::floating_point T>
  SGD(const std::vector<Tensor>& parameters, T lr, double momentum = 0)
      : SGD(parameters, SGDOptions{.lr = lr, .momentum = momentum}) {}

 private:
  void add(const std::vector<Tensor>& parameters, const SGDOptions& options);
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;

  std::vector<SGDOptions> options_;
};

}  // namespace heed::optim
