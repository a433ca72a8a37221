// What a tokeniser must know about characters, beyond decode_utf8(). The classes are coarse ranges
// of blocks, not the full Unicode database: a character that no range names counts as part of a
// word.
#pragma once

#include <string>
#include <string_view>

#include "../core/utf8.h"

namespace heed::data {

using heed::decode_utf8;
using heed::Decoded;
using heed::kReplacement;

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
