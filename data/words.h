// The coder of words.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coder.h"

namespace heed::data {

/// What stands between blanks, tabs and other control characters, in UTF-8.
std::vector<std::string> words_of(std::string_view line);
/// The words with a blank between them.
std::string joined(const std::vector<std::string>& words);

class Words : public Coder {
 public:
  static constexpr std::string_view kName = "words";
  /// Its first four entries are the marks.
  explicit Words(Vocabulary vocabulary) : Coder(kName, std::move(vocabulary)) {}

  std::vector<Index> encode(std::string_view line) const override;
  std::vector<std::string> parts(std::string_view line) const override { return words_of(line); }
  std::string join(const std::vector<std::string>& parts) const override { return joined(parts); }
};

/// The words of the lines by falling count. Throws ValueError for options below zero.
Words learn_words(const std::vector<const std::string*>& lines, const VocabularyOptions& options);

}  // namespace heed::data
