// Which tokens begin at a place of a text: texts of code points, each with a number.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/shape.h"
#include "number_map.h"
#include "text.h"

namespace heed::data::tokenizers {

class Trie {
 public:
  void add(const Text& text, Index number);

  /// Calls found(end, number) for each text in it that begins at `begin`, the shortest first.
  template <class Found>
  void at(const Text& text, std::size_t begin, Found&& found) const {
    std::uint32_t node = 0;
    for (std::size_t i = begin; i < text.size(); ++i) {
      const std::uint32_t* const below = edges_.find(key(node, text[i].code));
      if (below == nullptr) return;
      node = *below;
      if (numbers_[node] >= 0) found(i + 1, numbers_[node]);
    }
  }

 private:
  static std::uint64_t key(std::uint32_t node, char32_t code) {
    return std::uint64_t{node} << 32 | code;
  }

  std::vector<Index> numbers_ = {-1};  // of each node, or -1
  NumberMap edges_;                    // to the node below, by a node and a code point
};

}  // namespace heed::data::tokenizers
