#include "words.h"

#include <algorithm>

#include "utf8.h"

namespace heed::data {

std::vector<std::string> words_of(std::string_view line) {
  const std::string text = repair_utf8(line);
  const auto separates = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  std::vector<std::string> words;
  auto begin = text.begin();
  while ((begin = std::find_if_not(begin, text.end(), separates)) != text.end()) {
    const auto end = std::find_if(begin, text.end(), separates);
    words.emplace_back(begin, end);
    begin = end;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

Words learn_words(const std::vector<const std::string*>& lines, const VocabularyOptions& options) {
  WordCounts counts;
  for (const std::string* line : lines) {
    for (std::string& word : words_of(*line)) ++counts[std::move(word)];
  }
  for (const std::string_view mark : kMarks) counts.erase(std::string(mark));
  const auto ranked = Vocabulary::from_counts(counts, options);
  std::vector<std::string> words = {std::string(kMarks[kBegin]), std::string(kMarks[kEnd])};
  for (Index id = Vocabulary::kUnknown + 1; id < ranked.size(); ++id) {
    words.push_back(ranked.word(id));
  }
  return Words(Vocabulary(words));
}

std::vector<Index> Words::encode(std::string_view line) const {
  std::vector<Index> ids = vocabulary().ids(words_of(line));
  for (Index& id : ids) {
    if (id <= kEnd) id = kUnknown;  // a word spelt like a mark
  }
  return ids;
}

}  // namespace heed::data
