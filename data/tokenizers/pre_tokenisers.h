// How a text is cut before words are looked up: tokenizer.json's "pre_tokenizer".
#pragma once

#include <functional>

#include "../../core/json_tree.h"
#include "text.h"

namespace heed::data::tokenizers {

/// Cuts each piece into others. What stands where the whole text begins may be told apart: it does
/// so at byte 0.
using PreTokeniser = std::function<void(std::vector<Text>&)>;

/// Null: nothing. ByteLevel, Whitespace, WhitespaceSplit, BertPreTokenizer, Metaspace, Punctuation,
/// Digits, Split, CharDelimiterSplit and Sequence. Throws FormatError for others, by name.
PreTokeniser read_pre_tokeniser(const JsonView& json);

}  // namespace heed::data::tokenizers
