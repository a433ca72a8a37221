#include "markup.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace heed::data {
namespace {

constexpr std::size_t kLongestTag = 256;
constexpr std::string_view kInline[] = {"a",   "b", "em",   "font",   "i",
                                        "img", "s", "span", "strong", "u"};
constexpr std::string_view kBlocks[] = {"blockquote", "br", "div", "h1", "h2", "h3", "h4",
                                        "hr",         "li", "ol",  "p",  "td", "tr", "ul"};
template <std::size_t count>
bool contains(const std::string_view (&list)[count], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Tag tag_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1, kLongestTag - 1);
  const std::size_t close = rest.find_first_of("<>");
  if (close == std::string_view::npos || rest[close] != '>') return {};
  std::string_view inside = rest.substr(0, close);
  if (!inside.empty() && inside.front() == '/') inside.remove_prefix(1);
  std::string name;
  while (!inside.empty() &&
         (is_letter(inside.front()) || (!name.empty() && is_digit(inside.front())))) {
    name.push_back(static_cast<char>(inside.front() | 0x20));  // digits have this bit already
    inside.remove_prefix(1);
  }
  const bool ends_line = contains(kBlocks, name);
  if (!ends_line && !contains(kInline, name)) return {};
  // After the name: nothing but a slash, or attributes, which have an equals sign.
  const bool bare = inside.find_first_not_of(" \t\r\n/") == std::string_view::npos;
  const bool attributes = !inside.empty() && inside.find_first_of(" \t\r\n") == 0 &&
                          inside.find('=') != std::string_view::npos;
  if (!bare && !attributes) return {};
  return {close + 2, ends_line};
}

}  // namespace heed::data
