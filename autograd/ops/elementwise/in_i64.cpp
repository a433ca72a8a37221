#include "in_i64.h"

#include <fmt/format.h>

#include "../../../core/error.h"

namespace heed {

void throw_beyond_i64(const char* op, std::int64_t whole) {
  throw ValueError(fmt::format("{}: {} is beyond i64", op, static_cast<std::uint64_t>(whole)));
}

void check_in_i64(const char* op, Scalar number) {
  if (in_i64(number)) return;
  if (!is_floating(number.dtype())) throw_beyond_i64(op, number.whole());
  throw ValueError(fmt::format("{}: {} is beyond i64", op, number.value()));
}

}  // namespace heed
