// UTF-8, and the little that a tokeniser must know about characters. Text from outside may hold any
// bytes: whatever is not UTF-8 is read as U+FFFD, one for each maximal invalid piece (the practice
// that the Unicode standard recommends, chapter 3.9). The classes are coarse ranges of blocks, not
// the full Unicode database: a character that no range names counts as part of a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::data {

/// What stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code;       // kReplacement when invalid
  std::size_t length;  // in bytes, at least 1
  bool valid;
};

/// The code point that begins at text[at]; at < text.size().
Decoded decode_utf8(std::string_view text, std::size_t at);
/// Appends the code point's bytes; a surrogate or a number above U+10FFFF is written as U+FFFD.
void append_utf8(std::string& to, char32_t code);
/// True when every byte belongs to a well-formed sequence.
bool is_valid_utf8(std::string_view text);
/// `text` with U+FFFD for each invalid piece.
std::string repair_utf8(std::string_view text);

enum class CharClass {
  space,   // separates: spaces, line ends, control and invisible characters
  word,    // letters, digits and marks of the scripts that put spaces between words
  alone,   // a token of its own: ideographs and kana, which are written without spaces
  symbol,  // a token of its own: punctuation, signs, emoji
};

CharClass classify(char32_t code);
/// True when the text holds nothing but characters of class space.
bool is_blank(std::string_view text);

/// The lower-case letter, for ASCII, Latin-1, Latin Extended-A and Additional, Greek, Cyrillic and
/// full-width Latin; others are returned as they are.
char32_t to_lower(char32_t code);

}  // namespace heed::data
