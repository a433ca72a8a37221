// How tokens become a text again: tokenizer.json's "decoder".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../core/json_tree.h"

namespace heed::data::tokenizers {

/// Changes tokens, which are joined at the end.
using Decoder = std::function<void(std::vector<std::string>&)>;

/// Null: tokens with spaces between them. ByteLevel, WordPiece, Metaspace, BPEDecoder,
/// ByteFallback, Fuse, Strip, Replace and Sequence. Throws FormatError for others, by name.
Decoder read_decoder(const JsonView& json);

}  // namespace heed::data::tokenizers
