#include "real_steps.h"

#include <fmt/format.h>

#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../mask.h"
#include "named.h"

namespace heed::attention {

Tensor real_steps(const char* op, const std::vector<Index>& lengths, Index batch, Index steps) {
  if (lengths.empty()) return Tensor();
  if (static_cast<Index>(lengths.size()) != batch) {
    throw ShapeError(fmt::format("{}: {} lengths for {} rows", op, lengths.size(), batch));
  }
  const Mask mask = named(op, [&] { return Mask::lengths(lengths, steps); });
  return steps == 0 ? Tensor() : unsqueeze(mask.tensor(Shape{batch, steps}, op), -1);
}

}  // namespace heed::attention
