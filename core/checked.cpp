#include "checked.h"

#include <fmt/format.h>

#include "error.h"

namespace heed {

Checked Checked::times(Index factor) const { return {op_, checked_mul(op_, value_, factor)}; }

Checked Checked::plus(Index term) const {
  Index sum = 0;
  if (__builtin_add_overflow(value_, term, &sum)) {
    throw ShapeError(fmt::format("{}: size {} + {} overflows 64 bits", op_, value_, term));
  }
  return {op_, sum};
}

}  // namespace heed
