#include "names.h"

#include "../core/utf8.h"

namespace heed::train {

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded read = decode_utf8(text, at);
    if (!read.valid) return false;
    at += read.length;
  }
  return true;
}

bool is_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const Decoded read = decode_utf8(name, at);
    if (!read.valid || read.code < 0x20 || (read.code >= 0x7F && read.code < 0xA0)) return false;
    at += read.length;
  }
  return !name.empty();
}

}  // namespace heed::train
