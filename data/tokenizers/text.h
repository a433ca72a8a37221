// A text on its way to tokens: its characters, and of each the bytes of the original that it stands
// for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::data::tokenizers {

struct Char {
  char32_t code;
  std::uint32_t begin, end;  ///< bytes of the original
  bool broken = false;       ///< these are no UTF-8; the code is U+FFFD
};
using Text = std::vector<Char>;

/// Of a token: a larger number is refused, because tables are made as long as the largest.
inline constexpr std::int64_t kLargestId = std::int64_t{1} << 30;

/// U+FFFD for what is no UTF-8. Throws ValueError for a text of 4 GB or more.
Text characters(std::string_view text);
std::string utf8(const Text& text);
std::string utf8(const Text& text, std::size_t begin, std::size_t end);

}  // namespace heed::data::tokenizers
