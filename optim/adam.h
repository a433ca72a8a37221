// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019), as PyTorch's; t counts steps:
//   Adam:  g = g + weight_decay p
//   AdamW: p = p - lr weight_decay p
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = p - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
// With rows-only gradients the decay, too, reaches only the rows that came.
#pragma once

#include <array>

#include "optimizer.h"

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

/// The shared step; `decoupled` makes it AdamW's.
class AdamBase : public Optimizer {
 protected:
  AdamBase(const char* op, bool decoupled) : Optimizer(op), op_(op), decoupled_(decoupled) {}
  void add(const std::vector<Tensor>& parameters, const AdamOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;

  const char* op_;
  bool decoupled_;
  std::vector<AdamOptions> options_;
};

class Adam final : public AdamBase {
 public:
  /// Throws ValueError for options that make no sense, and as Optimizer::add_group().
  explicit Adam(const std::vector<Tensor>& parameters, const AdamOptions& options = {});
  explicit Adam(const std::vector<ParameterGroup<AdamOptions>>& groups);
  template <std::floating_point T>
  Adam(const std::vector<Tensor>& parameters, T lr) : Adam(parameters, AdamOptions{.lr = lr}) {}
};

class AdamW final : public AdamBase {
 public:
  explicit AdamW(const std::vector<Tensor>& parameters, const AdamWOptions& options = {});
  explicit AdamW(const std::vector<ParameterGroup<AdamWOptions>>& groups);
  template <std::floating_point T>
  AdamW(const std::vector<Tensor>& parameters, T lr) : AdamW(parameters, AdamWOptions{.lr = lr}) {}
};

}  // namespace heed::optim
