// Foreign text (names, keys, words, paths) in messages: whatever bytes it has, a message stays one
// line of UTF-8 that no terminal takes for commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// `text` with what cannot be shown replaced: "\n", "\t", "\r", "\x1b" for bytes that are not UTF-8
/// and for control characters, "\u{202e}" for those that end or turn a line.
std::string one_line(std::string_view text);

/// one_line() in double quotes (std has a quoted() of its own), with a backslash before '"' and
/// '\'. Of a long text the first 80 bytes and how many there are: "aaaa..." (5000 bytes)
std::string in_quotes(std::string_view text);

/// one_line(), but of a long text what in_quotes() says: for names that stand without quotes.
std::string in_short(std::string_view text);

/// The first 20 texts, fewer of long ones, quoted, and how many more there are: "a", "b" and 7
/// more.
std::string quoted_list(const std::vector<std::string_view>& texts);

}  // namespace heed
