// Adagrad (Duchi, Hazan & Singer 2011), as PyTorch's; t counts steps:
//   g = g + weight_decay p
//   s = s + g^2                                (s = initial_accumulator_value before the first)
//   p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)
#pragma once

#include "optimizer.h"

namespace heed::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
};

class Adagrad final : public Optimizer {
 public:
  /// Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit Adagrad(const std::vector<Tensor>& parameters, const AdagradOptions& options = {});
  explicit Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups);
  template <std::floating_point T>
  Adagrad(const std::vector<Tensor>& parameters, T lr)
      : Adagrad(parameters, AdagradOptions{.lr = lr}) {}

 private:
  void add(const std::vector<Tensor>& parameters, const AdagradOptions& options);
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;

  std::vector<AdagradOptions> options_;
};

}  // namespace heed::optim
