// Lion (Chen et al. 2023): the sign of a momentum, decayed apart from it.
//   c = beta1 m + (1 - beta1) g
//   p = p - lr weight_decay p - lr sign(c)
//   m = beta2 m + (1 - beta2) g
// Learning rates are 3 to 10 times smaller than Adam's, decays as much larger.
#pragma once

#include <array>

#include "optimizer_of.h"

namespace heed::optim {

struct LionOptions {
  double lr = 1e-4;
  std::array<double, 2> betas = {0.9, 0.99};
  double weight_decay = 0;
};

class Lion final : public OptimizerOf<Lion, LionOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  static constexpr const char* kName = "Lion";
  static std::vector<std::string> state_names(const LionOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
