#include "markup.h"

#include "../data/utf8.h"

namespace heed::train {

std::string escape_markup(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const data::Decoded read = data::decode_utf8(text, at);
    at += read.length;
    const char32_t c = read.code;
    const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
    if (control) continue;
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case 0xFFFE:  // which are no characters of XML: one would spoil the whole page
      case 0xFFFF: data::append_utf8(out, data::kReplacement); break;
      default: data::append_utf8(out, c);
    }
  }
  return out;
}

}  // namespace heed::train
