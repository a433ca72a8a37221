// What stands around a BPE that is learned, for each kind of it.
#pragma once

#include <string>
#include <vector>

#include "bpe_training.h"

namespace heed::data::tokenizers {

constexpr const char* kBlank = "\xE2\x96\x81";  ///< U+2581, for a blank

/// tokenizer.json without its model and its added tokens.
std::string without_model(BpeKind kind);
/// Those that have the first numbers.
std::vector<std::string> special_tokens(BpeKind kind);

/// An entry of "added_tokens", found in texts as they are.
std::string added_token(Index id, const std::string& content, bool special);

}  // namespace heed::data::tokenizers
