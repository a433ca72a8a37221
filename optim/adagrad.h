// Adagrad (Duchi, Hazan & Singer 2011), as PyTorch's; t counts steps:
//   g = g + weight_decay p
//   s = s + g^2                                (s = initial_accumulator_value before the first)
//   p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)
#pragma once

#include "optimizer_of.h"

namespace heed::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
};

class Adagrad final : public OptimizerOf<Adagrad, AdagradOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  static constexpr const char* kName = "Adagrad";
  static std::vector<std::string> state_names(const AdagradOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
