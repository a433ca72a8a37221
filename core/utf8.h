// UTF-8. Text from outside may hold any bytes: whatever is not UTF-8 is read as U+FFFD, one for
// each maximal invalid piece (the practice that the Unicode standard recommends, chapter 3.9).
#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

/// What stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code;       // kReplacement when invalid
  std::size_t length;  // in bytes, at least 1
  bool valid;
};

/// The code point that begins at text[at]; at < text.size().
Decoded decode_utf8(std::string_view text, std::size_t at);

}  // namespace heed
