#include "self_attention_heads.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::train {

std::vector<Array> heads_of(const char* op, const Array& layer, std::size_t words) {
  const auto n = static_cast<Index>(words);
  if (layer.rank() != 3 || layer.size(0) < 1 || n < 1 || layer.size(1) != n || layer.size(2) != n) {
    throw ShapeError(
        fmt::format("{}: a layer's weights must be [heads, words, words], one or more of each: {} "
                    "for {} words",
                    op, describe(layer), words));
  }
  std::vector<Array> out;
  for (Index head = 0; head < layer.size(0); ++head) {
    out.push_back(layer.slice(0, head, head + 1).reshape({n, n}));
  }
  return out;
}

void check_layers(const char* op, const SelfAttended& text) {
  if (text.layers.empty()) throw ValueError(fmt::format("{}: a text without layers", op));
}

}  // namespace heed::train
