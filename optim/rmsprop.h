// RMSprop (Tieleman & Hinton 2012; centred: Graves 2013), as PyTorch's:
//   g = g + weight_decay p
//   v = alpha v + (1 - alpha) g^2
//   a = alpha a + (1 - alpha) g                (centered; else 0)
//   d = g / (sqrt(v - a^2) + eps)
//   b = momentum b + d                         (without momentum: b = d)
//   p = p - lr b
#pragma once

#include "optimizer_of.h"

namespace heed::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
};

class RMSprop final : public OptimizerOf<RMSprop, RMSpropOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  static constexpr const char* kName = "RMSprop";
  static std::vector<std::string> state_names(const RMSpropOptions& options);

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override;
};

}  // namespace heed::optim
