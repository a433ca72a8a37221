#include "bf16.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "../core/error.h"

namespace heed::nn {

Index to_bf16(Module& module) {
  std::vector<std::function<void()>> changes;  // all prepared before the first is made
  for (Module* each : module.modules()) {
    if (auto* const layer = dynamic_cast<Narrowable*>(each)) {
      if (auto change = layer->prepare_bf16()) changes.push_back(std::move(change));
    }
  }
  for (const auto& change : changes) change();
  return std::ssize(changes);
}

Tensor detail::in_bf16(const char* layer, const Tensor& weight) {
  if (weight.dtype() != DType::f32) {
    throw DTypeError(
        fmt::format("{}: to_bf16 takes weights in f32, not {}", layer, describe(weight)));
  }
  return Tensor(weight.array().to(DType::bf16));
}

}  // namespace heed::nn
