#include "text.h"

#include <limits>

#include "../../core/error.h"
#include "../utf8.h"

namespace heed::data::tokenizers {

Text characters(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ValueError("tokenizer: a text of 4 GB or more");
  }
  Text out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode_utf8(text, at);
    out.push_back({next.code, static_cast<std::uint32_t>(at),
                   static_cast<std::uint32_t>(at + next.length), !next.valid});
    at += next.length;
  }
  return out;
}

std::string utf8(const Text& text, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) append_utf8(out, text[i].code);
  return out;
}
std::string utf8(const Text& text) { return utf8(text, 0, text.size()); }

}  // namespace heed::data::tokenizers
