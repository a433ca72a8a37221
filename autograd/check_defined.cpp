#include "check_defined.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed {

void detail::throw_undefined(const char* op, const char* operand) {
  throw GradError(fmt::format("{}: {} is undefined", op, operand));
}

void check_defined(const char* op, const std::vector<Tensor>& operands, const char* name) {
  if (observed()) detail::tell_begins();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].defined()) {
      detail::throw_undefined(op, fmt::format("{}[{}]", name, i).c_str());
    }
  }
}

void check_defined_yet(const char* op, const Tensor& x) {
  if (!x.defined()) {
    throw GradError(fmt::format("{}: x is undefined, as a grad() is before any backward pass", op));
  }
  check_defined(op, x, "x");
}

void check_mask(const char* op, const Tensor& mask) {
  if (mask.dtype() == DType::boolean) return;
  throw DTypeError(fmt::format("{}: the mask must be bool, not {}", op, describe(mask)));
}

}  // namespace heed
