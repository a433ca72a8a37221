#include "bf16.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::nn {

Index to_bf16(Module& module) {
  Index count = 0;
  for (Module* each : module.modules()) {
    if (auto* const layer = dynamic_cast<Narrowable*>(each)) {
      layer->to_bf16();
      ++count;
    }
  }
  return count;
}

Tensor detail::in_bf16(const char* layer, const Tensor& weight) {
  if (weight.dtype() != DType::f32) {
    throw DTypeError(
        fmt::format("{}: to_bf16 takes weights in f32, not {}", layer, describe(weight)));
  }
  return Tensor(weight.array().to(DType::bf16));
}

}  // namespace heed::nn
