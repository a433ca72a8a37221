// Tensors and modules of libtorch with the numbers of workload.h.
#pragma once

#include <torch/torch.h>

#include "../workload.h"

namespace bench {

/// f32 and i64 tensors that `fill` writes.
template <class Fill>
torch::Tensor numbers(torch::IntArrayRef shape, Fill fill) {
  torch::Tensor out = torch::empty(shape);
  fill(out.data_ptr<float>());
  return out;
}
template <class Fill>
torch::Tensor ids(torch::IntArrayRef shape, Fill fill) {
  torch::Tensor out = torch::empty(shape, torch::kInt64);
  fill(out.data_ptr<std::int64_t>());
  return out;
}

/// Writes all parameters, by name.
inline void fill_weights(torch::nn::Module& module, const Weights& weights) {
  const torch::NoGradGuard guard;
  const auto parameters = module.named_parameters();
  TORCH_CHECK(parameters.size() == weights.size(), "a parameter without numbers");
  std::uint64_t seed = 0;
  for (const Weight& weight : weights) {
    torch::Tensor tensor = parameters[weight.name];
    TORCH_CHECK(tensor.numel() == weight.count(), weight.name);
    fill(tensor.data_ptr<float>(), weight.count(), ++seed, weight.bound, weight.center);
  }
}

/// Over all elements of all gradients.
inline double sum_of_squared_gradients(const std::vector<torch::Tensor>& leaves) {
  double sum = 0;
  for (const torch::Tensor& leaf : leaves) {
    const torch::Tensor grad = leaf.grad().contiguous();
    sum += sum_of_squares(grad.data_ptr<float>(), grad.numel());
  }
  return sum;
}

inline void drop_gradients(std::vector<torch::Tensor>& leaves) {
  for (torch::Tensor& leaf : leaves) leaf.mutable_grad() = torch::Tensor();
}

}  // namespace bench
