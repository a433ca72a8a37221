// sentencepiece's .model files (ModelProto of sentencepiece_model.proto) as tokenizer.json: Unigram
// and BPE.
#pragma once

#include <string>
#include <string_view>

namespace heed::data::tokenizers {

/// What PretrainedTokenizer::parse reads, with parts of our own where others have none: the text is
/// normalised as the library does (sentencepiece_normaliser.h); pieces that users defined are found
/// in it; those of control and bytes never are, nor those that are unused. `for_others`: with the
/// parts that Hugging Face's library has, which come near: see docs/interop.md. Throws FormatError
/// in `path`'s name for fields that are cut off or of another kind than they should be, for pieces
/// that are no UTF-8, and for models of words or characters.
std::string from_sentencepiece(std::string_view model, const std::string& path,
                               bool for_others = false);

}  // namespace heed::data::tokenizers
