// Text that is safe inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heed::train {

/// Escapes & < > " ', drops control characters, and puts U+FFFD for what is not UTF-8 or, like
/// U+FFFE, no character of XML.
std::string escape_markup(std::string_view text);

}  // namespace heed::train
