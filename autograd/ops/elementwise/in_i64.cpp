#include "in_i64.h"

#include <fmt/format.h>

#include "../../../core/error.h"

namespace heed {

void throw_beyond_i64(const char* op, std::int64_t whole) {
  throw ValueError(fmt::format("{}: {} is beyond i64", op, static_cast<std::uint64_t>(whole)));
}

void check_in_i64(const char* op, Scalar number) {
  if (!is_floating(number.dtype()) && !in_i64(number)) throw_beyond_i64(op, number.whole());
}

}  // namespace heed
