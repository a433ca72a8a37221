#include "vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::string_view kSpecial[] = {"<pad>", "<unk>"};

}  // namespace

Vocabulary::Vocabulary(const std::vector<std::string>& words) {
  for (const std::string_view word : kSpecial) add(word);
  for (const std::string& word : words) {
    const std::string wrong = add(word);
    if (!wrong.empty()) throw ValueError("Vocabulary: " + wrong);
  }
}

Vocabulary Vocabulary::from_counts(const WordCounts& counts, const VocabularyOptions& options) {
  if (options.min_count < 0 || options.max_words < 0) {
    throw ValueError(fmt::format("Vocabulary: min_count {} and max_words {} must not be negative",
                                 options.min_count, options.max_words));
  }
  std::vector<std::pair<Index, std::string_view>> ranked;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) ranked.emplace_back(count, word);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const auto limit = static_cast<std::size_t>(options.max_words);
  if (limit > 0 && ranked.size() > limit) ranked.resize(limit);
  std::vector<std::string> words;
  words.reserve(ranked.size());
  for (const auto& entry : ranked) words.emplace_back(entry.second);
  return Vocabulary(words);
}

std::string Vocabulary::add(std::string_view word) {
  if (word.empty()) return "an empty word";
  if (!is_valid_utf8(word)) return "a word that is not valid UTF-8";
  if (word.find_first_of("\r\n") != std::string_view::npos) {
    return "a word with a line end in it";
  }
  const auto [place, added] = ids_.emplace(word, size());
  if (!added) return fmt::format("the word {} a second time", in_quotes(word));
  words_.emplace_back(word);
  return {};
}

Index Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? kUnknown : found->second;
}

std::vector<Index> Vocabulary::ids(const std::vector<std::string>& words) const {
  std::vector<Index> out;
  out.reserve(words.size());
  for (const std::string& word : words) out.push_back(id(word));
  return out;
}

const std::string& Vocabulary::word(Index id) const {
  if (id < 0 || id >= size()) {
    throw IndexError(fmt::format("Vocabulary: id {} is not in [0, {})", id, size()));
  }
  return words_[static_cast<std::size_t>(id)];
}

std::string Vocabulary::serialize() const {
  std::string text;
  for (const std::string& word : words_) {
    text += word;
    text += '\n';
  }
  return text;
}

Vocabulary Vocabulary::parse(std::string_view content, const std::string& path) {
  Vocabulary vocabulary;
  std::size_t line = 0;
  while (!content.empty()) {
    ++line;
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) {
      throw FormatError::at_line(path, line, "the last line has no end: the file was cut short");
    }
    const std::string_view word = content.substr(0, end);
    content.remove_prefix(end + 1);
    if (line <= std::size(kSpecial)) {
      const std::string_view special = kSpecial[line - 1];
      if (word == special) continue;
      throw FormatError::at_line(path, line, fmt::format("must be {}", special));
    }
    const std::string wrong = vocabulary.add(word);
    if (!wrong.empty()) throw FormatError::at_line(path, line, wrong);
  }
  if (line < std::size(kSpecial)) {
    throw FormatError::at_line(path, line + 1,
                               fmt::format("the file ends where {} must be", kSpecial[line]));
  }
  return vocabulary;
}

Vocabulary Vocabulary::parse(std::string_view content, const std::string& path, Index size) {
  Vocabulary out = parse(content, path);
  if (out.size() != size) {
    throw FormatError(path, 0,
                      fmt::format("{} words, but the model was trained with {}", out.size(), size));
  }
  return out;
}

}  // namespace heed::data
