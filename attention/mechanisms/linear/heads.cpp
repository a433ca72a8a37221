#include "heads.h"

#include <fmt/format.h>

#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {

Tensor split_heads(const Tensor& x, Index heads) {
  const Shape shape{x.size(0), x.size(1), heads, x.size(2) / heads};
  return transpose(reshape(x, shape), 1, 2);
}

Tensor join_heads(const Tensor& x) {
  return reshape(transpose(x, 1, 2), Shape{x.size(0), x.size(2), x.size(1) * x.size(3)});
}

Index checked_heads(const char* op, Index width, Index heads) {
  if (width <= 0 || heads <= 0) {
    throw ValueError(fmt::format("{}: width {} and heads {} must be positive", op, width, heads));
  }
  if (width % heads != 0) {
    throw ValueError(fmt::format("{}: heads {} does not divide width {}", op, heads, width));
  }
  return heads;
}

void refuse_cache(const char* op, const KeyValueCache* cache) {
  if (cache != nullptr) throw ValueError(fmt::format("{}: takes no cache", op));
}

}  // namespace heed::attention
