#include "class_weights.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::nn::detail {

Tensor class_weights(const char* layer, const Tensor& weight) {
  if (!weight.defined()) return {};
  check_floating(fmt::format("{}: weight", layer).c_str(), weight.dtype());
  if (weight.rank() != 1) {
    throw ValueError(fmt::format("{}: weight must be [C], not {}", layer, describe(weight)));
  }
  return weight.array().clone();
}

}  // namespace heed::nn::detail
