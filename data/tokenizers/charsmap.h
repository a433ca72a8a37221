// sentencepiece's table of what characters are written as: a trie of UTF-8 (Darts' double array),
// whose values are places in a list of texts that end with a zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::data::tokenizers {

class Charsmap {
 public:
  /// Little-endian: the trie's size in bytes, the trie, the texts. Throws ValueError for one that
  /// is cut off.
  explicit Charsmap(std::string_view bytes);

  /// What the shortest beginning of `text` that is in the table is written as, if one is.
  std::optional<std::string_view> operator()(std::string_view text) const;

  struct Rule {
    std::size_t length = 0;  ///< bytes of the text; 0: there is none
    std::string_view by = {};
  };
  /// The longest beginning of `text` that is in the table, and what it is written as.
  Rule longest(std::string_view text) const;

 private:
  /// found(length, by) for each beginning that is there, the shortest first, until it gives false.
  template <class Found>
  void walk(std::string_view text, Found&& found) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

/// RFC 4648, with padding. Throws ValueError for what is none.
std::string from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);

}  // namespace heed::data::tokenizers
