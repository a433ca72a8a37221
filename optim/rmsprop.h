// RMSprop (Tieleman & Hinton 2012; centred: Graves 2013), as PyTorch's:
//   g = g + weight_decay p
//   v = alpha v + (1 - alpha) g^2
//   a = alpha a + (1 - alpha) g                (centered; else 0)
//   d = g / (sqrt(v - a^2) + eps)
//   b = momentum b + d                         (without momentum: b = d)
//   p = p - lr b
#pragma once

#include "optimizer.h"

namespace heed::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
};

class RMSprop final : public Optimizer {
 public:
  /// Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit RMSprop(const std::vector<Tensor>& parameters, const RMSpropOptions& options = {});
  explicit RMSprop(const std::vector<ParameterGroup<RMSpropOptions>>& groups);
  template <std::floating_point T>
  RMSprop(const std::vector<Tensor>& parameters, T lr)
      : RMSprop(parameters, RMSpropOptions{.lr = lr}) {}

 private:
  void add(const std::vector<Tensor>& parameters, const RMSpropOptions& options);
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;

  std::vector<RMSpropOptions> options_;
};

}  // namespace heed::optim
