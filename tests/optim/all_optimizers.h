// One optimizer of each kind over the same parameters, for tests that hold for all of them.
#pragma once

#include <memory>
#include <vector>

#include "../../core/generator.h"
#include "../../optim/adadelta.h"
#include "../../optim/adagrad.h"
#include "../../optim/adam.h"
#include "../../optim/rmsprop.h"
#include "../../optim/sgd.h"

namespace heed {

inline std::vector<float> floats(const Tensor& tensor) {
  return tensor.array().to_vector<float>();
}

constexpr std::size_t kAll = 6;

// All of them, with everything turned on that leaves rows alone.
inline std::vector<std::unique_ptr<optim::Optimizer>> all_of(
    const std::vector<Tensor>& parameters) {
  std::vector<std::unique_ptr<optim::Optimizer>> out;
  out.push_back(std::make_unique<optim::SGD>(
      parameters,
      optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::Adam>(parameters,
                                              optim::AdamOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::AdamW>(
      parameters, optim::AdamWOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::Adagrad>(
      parameters, optim::AdagradOptions{.lr_decay = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::Adadelta>(
      parameters, optim::AdadeltaOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::RMSprop>(
      parameters, optim::RMSpropOptions{.weight_decay = 0.1, .momentum = 0.9, .centered = true}));
  return out;
}

inline Tensor rows_only(const std::vector<std::int64_t>& ids, Index count, Index width,
                        Generator& generator) {
  const Array values = generator.normal({static_cast<Index>(ids.size()), width}, 0, 1);
  return Tensor(SparseRows::gather(Array::from(ids), values, count));
}

}  // namespace heed
