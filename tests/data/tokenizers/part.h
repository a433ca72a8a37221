// Parts of a tokenizer.json by themselves.
#pragma once

#include <string>

#include "../../../core/json_tree.h"
#include "../../../data/tokenizers/text.h"

namespace heed::data::tokenizers {

/// read(the part that `json` says).
template <class Read>
auto part(const std::string& json, Read read) {
  const std::string path = "f";
  const JsonTree tree = JsonTree::parse("{\"part\": " + json + "}", path);
  return read(JsonView(tree, path)["part"]);
}

/// Where each character of the text stands in the original.
inline std::vector<std::pair<std::size_t, std::size_t>> places(const Text& text) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const Char& each : text) out.emplace_back(each.begin, each.end);
  return out;
}

}  // namespace heed::data::tokenizers
