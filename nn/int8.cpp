#include "int8.h"

#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "embedding.h"
#include "linear.h"

namespace heed::nn {

Index to_int8(Module& module) {
  std::vector<std::function<void()>> changes;  // all prepared before the first is made
  const auto prepare = [&](auto* layer) {
    if (layer == nullptr) return;
    if (auto change = layer->prepare_int8()) changes.push_back(std::move(change));
  };
  for (Module* each : module.modules()) {
    prepare(dynamic_cast<Linear*>(each));
    prepare(dynamic_cast<Embedding*>(each));
  }
  for (const auto& change : changes) change();
  return std::ssize(changes);
}

}  // namespace heed::nn
