#include "check_averaged.h"

#include <fmt/format.h>

#include <unordered_set>

#include "../core/error.h"

namespace heed::optim {

void check_averaged(const char* op, const std::vector<Tensor>& parameters) {
  if (parameters.empty()) throw ValueError(fmt::format("{}: there are no parameters", op));
  std::unordered_set<const TensorImpl*> seen;
  for (const Tensor& parameter : parameters) {
    if (!parameter.defined()) throw ValueError(fmt::format("{}: a parameter is undefined", op));
    if (!parameter.is_leaf()) {
      throw GradError(
          fmt::format("{}: {} is the result of an operator, not a leaf", op, describe(parameter)));
    }
    check_floating(op, parameter.dtype());
    if (!seen.insert(parameter.impl()).second) {
      throw ValueError(fmt::format("{}: parameter {} is named twice", op, describe(parameter)));
    }
  }
}

}  // namespace heed::optim
