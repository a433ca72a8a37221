// Articles with a title and a summary made of their sentences: read from JSON lines, one object a
// line with the fields "title", "paragraphs" (a string or several) and "summary".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vocabulary.h"

namespace heed::data {

struct Article {
  std::vector<std::string> sentences;           ///< as they are written
  std::vector<std::vector<std::string>> words;  ///< of each, at least one
  std::vector<std::string> title = {};          ///< words
  std::vector<Index> summary = {};              ///< its sentences, in the summary's order
  Index length() const { return static_cast<Index>(sentences.size()); }
  /// All words, at most `most`.
  std::vector<std::string> first_words(std::size_t most) const;
  /// Sentences of these numbers, in the article's order. Throws IndexError.
  std::vector<std::string> chosen(std::vector<Index> places) const;
};

/// Adds the words of its sentences and its title.
void count_words(const Article& article, WordCounts& counts);
/// Of each word of its sentences how often they have it.
std::vector<Index> word_times(const Article& article);

/// Words of a sentence, and of a title, that are read: what is longer is cut.
inline constexpr std::size_t kLongestSentence = 60;
/// Sentences of a text, and letters of a summary, that are looked for in one another.
inline constexpr std::size_t kMostSentences = 2000, kLongestSummary = 100000;

/// A text, a paragraph a line, by split_sentences() and tokenize(); sentences without words are
/// left out. Throws ValueError for a text without any.
Article read_article(std::string_view text);

/// `path` is the file, plain or gzip, or a folder that holds it as bbc.jsonl or bbc.jsonl.gz. Other
/// fields are passed over. Throws IoError; FormatError, naming path and line, for what
/// JsonLinesReader refuses, a text or title without words, and a summary that has none of the
/// text's sentences.
std::vector<Article> read_articles(const std::string& path);

/// The sentences that stand in the summary, in the summary's order; the same letters of it are
/// found once, by the longest sentence. Only letters and digits count, whatever their case: a
/// summary may have lost the blanks between its sentences. Throws ValueError for more than
/// kMostSentences, or a summary of more than kLongestSummary letters: it takes time of their
/// product.
std::vector<Index> extracted_sentences(const std::vector<std::string>& sentences,
                                       const std::string& summary);

}  // namespace heed::data
