// The small model that files are read into.
#pragma once

#include "../../nn/module.h"
#include "../../optim/adam.h"

namespace heed::fuzz {

struct Learner : nn::Module {
  Tensor& weight = parameter("weight", Tensor(Array::full({3, 2}, 0.5, DType::f32)));
  Tensor& bias = parameter("bias", Tensor(Array::zeros({3}, DType::f64)));
  Tensor& seen = buffer("seen", Tensor(Array::zeros({}, DType::i64)));
};

}  // namespace heed::fuzz
