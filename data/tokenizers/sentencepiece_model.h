// sentencepiece's .model files (ModelProto of sentencepiece_model.proto) as tokenizer.json: Unigram
// and BPE.
#pragma once

#include <string>
#include <string_view>

namespace heed::data::tokenizers {

/// What PretrainedTokenizer::parse reads. Texts are normalised, blanks are U+2581 and one stands
/// before a text, as the file says; pieces of control are special tokens, those that users defined
/// are tokens of their own. Throws FormatError in `path`'s name for fields that are cut off or of
/// another kind than they should be, for pieces that are no UTF-8, and for models of words or
/// characters.
std::string from_sentencepiece(std::string_view model, const std::string& path);

}  // namespace heed::data::tokenizers
