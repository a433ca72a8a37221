// Adadelta (Zeiler 2012), as PyTorch's:
//   g = g + weight_decay p
//   v = rho v + (1 - rho) g^2
//   d = sqrt(u + eps) / sqrt(v + eps) g
//   u = rho u + (1 - rho) d^2
//   p = p - lr d
#pragma once

#include "optimizer_of.h"

namespace heed::optim {

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;
};

class Adadelta final : public OptimizerOf<Adadelta, AdadeltaOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  static constexpr const char* kName = "Adadelta";
  static std::vector<std::string> state_names(const AdadeltaOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
