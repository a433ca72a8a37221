// What sentencepiece does to a text before it is cut (Kudo & Richardson 2018, their normalizer.cc):
// at each place a piece that a user defined stays, else the longest rule of the table of characters
// counts; blanks are U+2581, one stands before the text, and of several side by side the first
// stays.
#pragma once

#include "normalisers.h"

namespace heed::data::tokenizers {

/// {"type": "Sentencepiece", "precompiled_charsmap": base64, "user_defined": [texts],
/// "add_dummy_prefix": true, "remove_extra_whitespaces": true}, of our own. Throws FormatError.
Normaliser read_sentencepiece_normaliser(const JsonView& json);

}  // namespace heed::data::tokenizers
