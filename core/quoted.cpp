#include "quoted.h"

#include <fmt/format.h>

#include <algorithm>

#include "utf8.h"

namespace heed {
namespace {

constexpr std::size_t kMostBytes = 80;
constexpr std::size_t kMostTexts = 20;
constexpr std::size_t kLongestList = 1000;  // bytes, with which no further text begins

// Characters that end a line, or change the direction in which what follows is shown.
bool turns_line(char32_t c) {
  return c == 0x2028 || c == 0x2029 || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// The character at text[at] as it may be shown, and on to the next.
void append(std::string& out, std::string_view text, std::size_t& at) {
  const Decoded read = decode_utf8(text, at);
  const std::string_view bytes = text.substr(at, read.length);
  at += read.length;
  const char32_t c = read.code;
  if (!read.valid) {
    for (const char byte : bytes) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  } else if (turns_line(c)) {
    out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
  } else {
    out += bytes;
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) append(out, text, at);
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size() && at + decode_utf8(text, at).length <= kMostBytes) {
    if (text[at] == '"' || text[at] == '\\') out += '\\';
    append(out, text, at);
  }
  if (at == text.size()) return out + '"';
  return out + fmt::format("...\" ({} bytes)", text.size());
}

std::string in_short(std::string_view text) {
  return text.size() <= kMostBytes ? one_line(text) : in_quotes(text);
}

std::string quoted_list(const std::vector<std::string_view>& texts) {
  std::string out;
  std::size_t shown = 0;
  for (; shown < std::min(texts.size(), kMostTexts) && out.size() < kLongestList; ++shown) {
    out += (shown == 0 ? "" : ", ") + in_quotes(texts[shown]);
  }
  if (shown < texts.size()) out += fmt::format(" and {} more", texts.size() - shown);
  return out;
}

}  // namespace heed
