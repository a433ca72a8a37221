// From text to lower-cased words. A word is a run of letters, digits and apostrophes; a punctuation
// mark, a sign, an emoji, a CJK ideograph or a kana is a token of its own; HTML tags and spaces
// separate. On ASCII the tokens are those of the regular expression [a-z0-9']+|[!?.,;:()"-] on the
// lower-cased text: the other ASCII signs ($, %, *, ...) are dropped. Bytes that are not UTF-8 give
// the token U+FFFD. Takes time linear in the text, whatever it holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::data {

/// A longer word keeps its first so many characters; its place still covers the whole of it.
inline constexpr std::size_t kLongestWord = 64;

/// A token and the bytes [begin, end) of the text that it came from.
struct Token {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The tokens in order.
std::vector<std::string> tokenize(std::string_view text);
/// The same with their places, for showing the text as it was written.
std::vector<Token> tokenize_with_places(std::string_view text);

}  // namespace heed::data
