#include "feature_map.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {

void check_map(const char* op, const Tensor& map, Index channels, DType dtype) {
  check_defined(op, map, "map");
  if (map.rank() != 4 || map.size(1) != channels || map.size(2) == 0 || map.size(3) == 0) {
    throw ShapeError(fmt::format("{}: map must be [B, {}, H, W] with places, not {}", op, channels,
                                 describe(map)));
  }
  if (map.dtype() != dtype) {
    throw DTypeError(
        fmt::format("{}: map is {}, the weights are {}", op, describe(map), name(dtype)));
  }
}

Tensor places_of(const Tensor& map) { return transpose(flatten(map, 2, 3), 1, 2); }

Tensor map_of(const Tensor& places, Index H, Index W) {
  return reshape(transpose(places, 1, 2), Shape{places.size(0), places.size(2), H, W});
}

}  // namespace heed::attention
