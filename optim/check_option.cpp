#include "check_option.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"

namespace heed::optim {

void check_not_negative(const char* op, const char* what, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw ValueError(fmt::format("{}: {} {} must be finite and not negative", op, what, value));
}

void check_share(const char* op, const char* what, double value) {
  if (value >= 0 && value <= 1) return;
  throw ValueError(fmt::format("{}: {} {} is not in [0, 1]", op, what, value));
}

}  // namespace heed::optim
