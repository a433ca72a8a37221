// Maps of features [B, C, H, W] as what attention takes: places with vectors, [B, H W, C].
#pragma once

#include "../../autograd/tensor.h"

namespace heed::attention {

/// Throws ShapeError unless `map` is [B, channels, H, W] with places, DTypeError, GradError; all
/// name `op`.
void check_map(const char* op, const Tensor& map, Index channels, DType dtype);

/// [B, C, H, W] -> [B, H W, C], row by row, and back.
Tensor places_of(const Tensor& map);
Tensor map_of(const Tensor& places, Index H, Index W);

}  // namespace heed::attention
