// The tokens of a text as a language model reads it: its characters, or its words between blanks.
// The end of a line is a token too, "\n" in the text and "<eos>" in a vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vocabulary.h"

namespace heed::data {

enum class TextLevel : std::uint8_t { characters, words };

/// "char", "word". Throws ValueError for other names.
TextLevel text_level(const std::string& name);
const char* name(TextLevel level);

/// The tokens in order, views into `text`, which is UTF-8; each line's end as "\n".
std::vector<std::string_view> tokens_of(std::string_view text, TextLevel level);

/// All tokens of `text`, or the `max_words` most frequent where that is not 0. Throws ValueError.
Vocabulary vocabulary_of(std::string_view text, TextLevel level, Index max_words = 0);

std::vector<Index> encode(std::string_view text, TextLevel level, const Vocabulary& vocabulary);
/// The text again; words get blanks between them. Throws IndexError.
std::string decode(const std::vector<Index>& ids, TextLevel level, const Vocabulary& vocabulary);

}  // namespace heed::data
