// What is done to a text before it is cut: tokenizer.json's "normalizer".
#pragma once

#include <functional>

#include "../../core/json_tree.h"
#include "text.h"

namespace heed::data::tokenizers {

using Normaliser = std::function<void(Text&)>;

/// Null: nothing. NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Replace, Prepend,
/// BertNormalizer, ByteLevel, Precompiled and Sequence, and Sentencepiece, which is our own. Throws
/// FormatError for others, by name.
Normaliser read_normaliser(const JsonView& json);

/// Each byte as a character that can be shown, as GPT-2 writes them, and back: -1 for a character
/// that is none.
char32_t shown_byte(unsigned char byte);
int byte_shown_as(char32_t code);
/// The bytes of each character, shown.
void show_bytes(Text& text);

}  // namespace heed::data::tokenizers
