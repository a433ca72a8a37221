// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019), as PyTorch's; t counts steps:
//   Adam:  g = g + weight_decay p
//   AdamW: p = p - lr weight_decay p
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = p - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
// With rows-only gradients the decay, too, reaches only the rows that came.
#pragma once

#include <array>

#include "optimizer_of.h"

namespace heed::optim {

struct AdamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
};

struct AdamWOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0.01;
};

class Adam final : public OptimizerOf<Adam, AdamOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  template <std::floating_point T>
  Adam(const std::vector<Tensor>& parameters, T lr, const std::array<double, 2>& betas,
       double eps = 1e-8, double weight_decay = 0)
      : OptimizerOf(parameters,
                    {.lr = lr, .betas = betas, .eps = eps, .weight_decay = weight_decay}) {}
  static constexpr const char* kName = "Adam";
  static std::vector<std::string> state_names(const AdamOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

class AdamW final : public OptimizerOf<AdamW, AdamWOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  template <std::floating_point T>
  AdamW(const std::vector<Tensor>& parameters, T lr, const std::array<double, 2>& betas,
        double eps = 1e-8, double weight_decay = 0.01)
      : OptimizerOf(parameters,
                    {.lr = lr, .betas = betas, .eps = eps, .weight_decay = weight_decay}) {}
  template <std::floating_point T>
  AdamW(const std::vector<Tensor>& parameters, T lr, T weight_decay)
      : OptimizerOf(parameters, {.lr = lr, .weight_decay = weight_decay}) {}
  static constexpr const char* kName = "AdamW";
  static std::vector<std::string> state_names(const AdamWOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
