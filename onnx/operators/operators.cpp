#include "operators.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace heed::onnx {

const Makers& makers() {
  static const Makers all = [] {
    Makers out;
    for (const auto add :
         {add_arithmetic, add_activations, add_comparisons, add_conversions, add_reductions,
          add_shapes, add_parts, add_sizes, add_places, add_products, add_convolutions, add_resize,
          add_pools, add_normalisers, add_recurrent, add_attention, add_losses, add_control})
      add(out);
    return out;
  }();
  return all;
}

std::vector<Index> integers_of(const Tensor& input, const char* what) {
  if (input.dtype() != DType::i64)
    throw DTypeError(fmt::format("{} must be integers, not {}", what, describe(input.array())));
  if (input.rank() > 1)
    throw ShapeError(fmt::format("{} must be of rank 1, not {}", what, describe(input.array())));
  return input.array().to_vector<Index>();
}

Index integer_of(const Tensor& input, const char* what) {
  if (input.dtype() != DType::i64)
    throw DTypeError(fmt::format("{} must be an integer, not {}", what, describe(input.array())));
  if (input.numel() != 1)
    throw ShapeError(fmt::format("{} must be one number, not {}", what, describe(input.array())));
  return input.item<Index>();
}

}  // namespace heed::onnx
