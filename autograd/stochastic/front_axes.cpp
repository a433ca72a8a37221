#include "front_axes.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"

namespace heed {

Tensor line_up(const char* op, const Tensor& x, const Shape& shape) {
  std::vector<Index> behind, shared;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (axis >= shape.rank()) {
      behind.push_back(axis);
    } else if (x.size(axis) != shape[axis] && x.size(axis) != 1) {
      if (shape[axis] != 1) {
        throw ShapeError(
            fmt::format("{}: a draw's {} and a cost's {} differ in axis {}; they are aligned at "
                        "the front, and must be equal or 1 there",
                        op, to_string(x.shape()), to_string(shape), axis));
      }
      shared.push_back(axis);
    }
  }
  Tensor out = behind.empty() ? x : sum(x, behind);
  if (!shared.empty()) out = sum(out, shared, true);
  if (out.rank() < shape.rank()) {
    Shape longer = out.shape();
    while (longer.rank() < shape.rank()) longer.push_back(1);
    out = reshape(out, longer);
  }
  return out;
}

}  // namespace heed
