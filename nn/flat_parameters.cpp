#include "flat_parameters.h"

#include <fmt/format.h>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::nn::utils {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  if (parameters.empty()) throw ValueError("parameters_to_vector: there are no parameters");
  std::vector<Tensor> parts;
  for (const Tensor& parameter : parameters) parts.push_back(reshape(parameter, {-1}));
  return concat(parts, 0);
}

void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters) {
  constexpr const char* kOp = "vector_to_parameters";
  Index count = 0;
  for (const Tensor& parameter : parameters) {
    count += parameter.numel();
    if (parameter.dtype() != vector.dtype()) {
      throw DTypeError(
          fmt::format("{}: {} goes not into {}", kOp, describe(vector), describe(parameter)));
    }
  }
  if (vector.rank() != 1 || vector.numel() != count) {
    throw ShapeError(fmt::format("{}: {} does not hold {} elements", kOp, describe(vector), count));
  }
  const NoGrad scope;
  Index at = 0;
  for (Tensor parameter : parameters) {
    const Index end = at + parameter.numel();
    parameter.copy_from(reshape(slice(vector, 0, at, end), parameter.shape()).array());
    at = end;
  }
}

}  // namespace heed::nn::utils
