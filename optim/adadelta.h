// Adadelta (Zeiler 2012), as PyTorch's:
//   g = g + weight_decay p
//   v = rho v + (1 - rho) g^2
//   d = sqrt(u + eps) / sqrt(v + eps) g
//   u = rho u + (1 - rho) d^2
//   p = p - lr d
#pragma once

#include "optimizer.h"

namespace heed::optim {

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;
};

class Adadelta final : public Optimizer {
 public:
  /// Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit Adadelta(const std::vector<Tensor>& parameters, const AdadeltaOptions& options = {});
  explicit Adadelta(const std::vector<ParameterGroup<AdadeltaOptions>>& groups);
  template <std::floating_point T>
  Adadelta(const std::vector<Tensor>& parameters, T lr)
      : Adadelta(parameters, AdadeltaOptions{.lr = lr}) {}

 private:
  void add(const std::vector<Tensor>& parameters, const AdadeltaOptions& options);
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;

  std::vector<AdadeltaOptions> options_;
};

}  // namespace heed::optim
