// The HTML that is left over in collected text: simple tags such as `<br />`, `</i>`, `<a
// href="x">`. They separate words like a space; `<br>` and `<p>` also end a line. "a < b" and "<3"
// are no tags.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::data {

struct Tag {
  std::size_t length = 0;  // in bytes, 0 when there is no tag
  bool ends_line = false;
};

/// The tag that begins at text[at], which is '<'. Looks at no more than 256 bytes.
Tag tag_at(std::string_view text, std::size_t at);

}  // namespace heed::data
