// Unicode's categories and normal forms, by utf8proc.
#pragma once

#include "text.h"

namespace heed::data::tokenizers {

bool is_white(char32_t code);         ///< Unicode's White_Space
bool is_punctuation(char32_t code);   ///< of category P
bool is_mark(char32_t code);          ///< of category M
bool is_spacing_free(char32_t code);  ///< Mn: marks that take no room
bool is_other(char32_t code);         ///< control characters, formats, private ones
bool is_numeric(char32_t code);       ///< of category N
bool is_word(char32_t code);          ///< Alphabetic, marks, decimal digits, connectors, joiners
bool is_ideograph(char32_t code);     ///< those that BERT puts spaces around

/// Where the grapheme ends that begins here (Unicode Standard Annex 29).
std::size_t grapheme_end(const Text& text, std::size_t begin);

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };
void normalise(Text& text, NormalForm form);
void lower(Text& text);

}  // namespace heed::data::tokenizers
