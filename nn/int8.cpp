#include "int8.h"

#include <functional>
#include <iterator>
#include <vector>

#include "embedding.h"
#include "linear.h"

namespace heed::nn {

Index to_int8(Module& module) {
  std::vector<std::function<void()>> changes;  // all prepared before the first is made
  const auto prepare = [&](auto* layer) {
    if (layer != nullptr) changes.push_back(layer->prepare_int8());
  };
  for (Module* each : module.modules()) {
    prepare(dynamic_cast<Linear*>(each));
    prepare(dynamic_cast<Embedding*>(each));
  }
  for (const auto& change : changes) change();
  return std::ssize(changes);
}

}  // namespace heed::nn
