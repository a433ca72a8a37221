// A number that is all of a text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace heed {

/// Nothing where the text is no such number from its first byte to its last, or one that the type
/// does not hold. What std::from_chars reads: no blanks, no plus, no thousands' separators.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number out{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return out;
}

}  // namespace heed
