#include "trie.h"

namespace heed::data::tokenizers {

void Trie::add(const Text& text, Index number) {
  std::uint32_t node = 0;
  for (const Char& each : text) {
    const auto fresh = static_cast<std::uint32_t>(numbers_.size());
    if (edges_.insert(key(node, each.code), fresh)) {
      numbers_.push_back(-1);
      node = fresh;
    } else {
      node = *edges_.find(key(node, each.code));
    }
  }
  if (node != 0) numbers_[node] = number;
}

}  // namespace heed::data::tokenizers
