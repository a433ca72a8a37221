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

}  // namespace heed
