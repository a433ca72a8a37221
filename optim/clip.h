// Gradient clipping, between backward() and step(). Sparse gradients stay sparse.
#pragma once

#include "optimizer.h"

namespace heed::optim {

/// Scales all gradients by max_norm / (norm + 1e-6) where that is below 1, and returns the norm
/// before: that of order `norm_type` (infinity: the largest) over all gradients as one vector,
/// summed in double. As PyTorch: when the norm is not finite, gradients become zeros and NaN, or
/// with `error_if_nonfinite` stay as they are and ValueError is thrown. Throws ValueError for
/// max_norm < 0 or norm_type <= 0, and for gradients that do not fit as Optimizer::step().
double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2,
                      bool error_if_nonfinite = false);

/// By PyTorch's name.
inline double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                              double norm_type = 2) {
  return clip_grad_norm(parameters, max_norm, norm_type);
}

/// Of all parameters of a module.
template <HasParameters M>
double clip_grad_norm_(const M& module, double max_norm, double norm_type = 2) {
  return clip_grad_norm(module.parameters(), max_norm, norm_type);
}

/// Puts every element of the gradients into [-limit, limit]; NaN stays. Throws as clip_grad_norm().
void clip_grad_value(const std::vector<Tensor>& parameters, double limit);

/// By PyTorch's name.
inline void clip_grad_value_(const std::vector<Tensor>& parameters, double limit) {
  clip_grad_value(parameters, limit);
}

template <HasParameters M>
void clip_grad_value_(const M& module, double limit) {
  clip_grad_value(module.parameters(), limit);
}

}  // namespace heed::optim

namespace heed::nn::utils {
using optim::clip_grad_norm_;
using optim::clip_grad_value_;
}  // namespace heed::nn::utils
namespace heed {
using optim::clip_grad_norm;
using optim::clip_grad_norm_;
using optim::clip_grad_value_;
}  // namespace heed
