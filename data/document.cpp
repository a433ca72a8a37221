#include "document.h"

#include <fmt/format.h>

#include <utility>

#include "../core/error.h"
#include "sentences.h"

namespace heed::data {
namespace {

// The sentences of `text` that have tokens, each read by read(sentence), within the limits.
template <class Read>
auto read_sentences(std::string_view text, const DocumentLimits& limits, const Read& read) {
  if (limits.sentences <= 0 || limits.words <= 0) {
    throw ValueError(fmt::format("document: limits of {} sentences and {} words must be positive",
                                 limits.sentences, limits.words));
  }
  std::vector<decltype(read(text))> sentences;
  for (const std::string_view sentence : split_sentences(text)) {
    if (static_cast<Index>(sentences.size()) == limits.sentences) break;
    auto tokens = read(sentence);
    if (tokens.empty()) continue;
    if (static_cast<Index>(tokens.size()) > limits.words) {
      tokens.resize(static_cast<std::size_t>(limits.words));
    }
    sentences.push_back(std::move(tokens));
  }
  return sentences;
}

}  // namespace

Document make_document(std::string_view text, const DocumentLimits& limits, Index label) {
  return {read_sentences(text, limits, [](std::string_view s) { return tokenize(s); }), label};
}

Document make_document(std::string_view text, const DocumentLimits& limits,
                       const std::function<std::vector<std::string>(std::string_view)>& words) {
  return {read_sentences(text, limits, words), kNoLabel};
}

std::vector<std::vector<Token>> document_tokens(std::string_view text,
                                                const DocumentLimits& limits) {
  return read_sentences(text, limits, [text](std::string_view sentence) {
    std::vector<Token> tokens = tokenize_with_places(sentence);
    const auto start = static_cast<std::size_t>(sentence.data() - text.data());
    for (Token& token : tokens) {
      token.begin += start;
      token.end += start;
    }
    return tokens;
  });
}

void count_words(const Document& document, WordCounts& counts) {
  for (const auto& sentence : document.sentences) {
    for (const std::string& word : sentence) ++counts[word];
  }
}

EncodedDocument encode(const Document& document, const Vocabulary& vocabulary) {
  EncodedDocument encoded;
  encoded.label = document.label;
  encoded.sentences.reserve(document.sentences.size());
  for (const auto& sentence : document.sentences) {
    encoded.sentences.push_back(vocabulary.ids(sentence));
  }
  return encoded;
}

}  // namespace heed::data
