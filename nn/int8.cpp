#include "int8.h"

#include "embedding.h"
#include "linear.h"

namespace heed::nn {

Index to_int8(Module& module) {
  Index count = 0;
  const auto change = [&](auto* layer) {
    if (layer == nullptr) return;
    layer->to_int8();
    ++count;
  };
  for (Module* each : module.modules()) {
    change(dynamic_cast<Linear*>(each));
    change(dynamic_cast<Embedding*>(each));
  }
  return count;
}

}  // namespace heed::nn
