// Tensors and modules of heed with the numbers of workload.h.
#pragma once

#include <string>
#include <vector>

#include "../core/error.h"
#include "../nn/module.h"
#include "profile.h"
#include "workload.h"

namespace bench {

/// f32 and i64 tensors that `fill` writes.
template <class Fill>
heed::Tensor numbers(const heed::Shape& shape, Fill fill) {
  heed::Array out = heed::Array::empty(shape, heed::DType::f32);
  fill(out.mutable_data<float>());
  return out;
}
template <class Fill>
heed::Tensor ids(const heed::Shape& shape, Fill fill) {
  heed::Array out = heed::Array::empty(shape, heed::DType::i64);
  fill(out.mutable_data<std::int64_t>());
  return out;
}

/// Writes all parameters, by name.
inline void fill_weights(heed::nn::Module& module, const Weights& weights) {
  heed::nn::NamedTensors state;
  std::uint64_t seed = 0;
  for (const Weight& weight : weights) {
    heed::Shape shape{weight.rows};
    if (weight.cols != 0) shape.push_back(weight.cols);
    state.emplace_back(weight.name, numbers(shape, [&, seed = ++seed](float* to) {
                         fill(to, weight.count(), seed, weight.bound, weight.center);
                       }));
  }
  module.load_state_dict(state);
}

/// Over all elements of all gradients.
inline double sum_of_squared_gradients(const std::vector<heed::Tensor>& leaves) {
  double sum = 0;
  for (const heed::Tensor& leaf : leaves) {
    const heed::Array grad = leaf.grad().array().contiguous();
    sum += sum_of_squares(grad.data<float>(), grad.numel());
  }
  return sum;
}

inline void drop_gradients(std::vector<heed::Tensor>& leaves) {
  for (heed::Tensor& leaf : leaves) leaf.zero_grad();
}

}  // namespace bench
