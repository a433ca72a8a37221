// Single operators of heed and of libtorch in one process, on the same numbers. A case is written
// as
//
//   same("tanh", matrices(1), [](auto& x) { return tanh(x[0]); })
//
// where one expression is either call, else as both("name", inputs, ours, theirs).
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../autograd/tensor.h"

namespace bench::operators {

using Index = std::int64_t;
using H = const std::vector<heed::Tensor>&;
using T = const std::vector<torch::Tensor>&;

enum class Kind { numbers, ids, flags };

/// Numbers lie in [center - 1, center + 1); ids in [0, below). Only numbers get gradients.
struct Input {
  std::vector<Index> shape;
  Kind kind = Kind::numbers;
  float center = 0;
  Index below = 0;
};

/// The inputs for about n elements.
using Inputs = std::function<std::vector<Input>(Index n)>;

struct Operator {
  std::string name;
  Inputs inputs;
  std::function<heed::Tensor(H)> ours;
  std::function<torch::Tensor(T)> theirs;
  Index smallest = 1;    ///< elements for which it is defined
  bool backward = true;  ///< has a derivative

  Operator from(Index n) && {
    smallest = n;
    return std::move(*this);
  }
  Operator forward_only() && {
    backward = false;
    return std::move(*this);
  }
};

template <class Ours, class Theirs>
Operator both(std::string name, Inputs inputs, Ours ours, Theirs theirs) {
  return {std::move(name), std::move(inputs), ours, theirs};
}
template <class Call>
Operator same(std::string name, Inputs inputs, Call call) {
  return {std::move(name), std::move(inputs), [call](H x) { return heed::Tensor(call(x)); },
          [call](T x) { return torch::Tensor(call(x)); }};
}

/// Near square, at most 1,000 wide.
inline std::vector<Index> matrix(Index n) {
  const Index cols = std::min<Index>(1000, std::llround(std::sqrt(static_cast<double>(n))));
  return {n / cols, cols};
}

/// `count` matrices of n elements.
inline Inputs matrices(std::size_t count, float center = 0) {
  return [=](Index n) { return std::vector<Input>(count, {.shape = matrix(n), .center = center}); };
}

// The families; operators.cpp joins them.
std::vector<Operator> elementwise();
std::vector<Operator> reductions();
std::vector<Operator> arrangements();
std::vector<Operator> layers();

}  // namespace bench::operators
