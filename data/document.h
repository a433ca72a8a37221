// A document is a list of sentences, a sentence a list of words; once a vocabulary is known, of
// their numbers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"
#include "tokenizer.h"
#include "vocabulary.h"

namespace heed::data {

/// What is kept of a text: its first sentences, and of each its first words.
struct DocumentLimits {
  Index sentences = 30;
  Index words = 100;
};

/// The class of a document whose class is not known.
inline constexpr Index kNoLabel = -1;

struct Document {
  std::vector<std::vector<std::string>> sentences;
  Index label = kNoLabel;
};

struct EncodedDocument {
  std::vector<std::vector<Index>> sentences;
  Index label = kNoLabel;
};

/// Splits `text` into sentences of at least one token. A text without any gives an empty document.
/// Throws ValueError unless both limits are positive.
Document make_document(std::string_view text, const DocumentLimits& limits, Index label = kNoLabel);
/// The same with words that are cut from a sentence by `words`.
Document make_document(std::string_view text, const DocumentLimits& limits,
                       const std::function<std::vector<std::string>(std::string_view)>& words);

/// The same sentences and words as make_document(), with their places in `text`.
std::vector<std::vector<Token>> document_tokens(std::string_view text,
                                                const DocumentLimits& limits);

/// Adds the document's words to `counts`.
void count_words(const Document& document, WordCounts& counts);

EncodedDocument encode(const Document& document, const Vocabulary& vocabulary);

}  // namespace heed::data
