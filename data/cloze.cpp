#include "cloze.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::string_view kWide = "\u3000";

void add_word(std::vector<std::string>& words, std::string_view word) {
  for (std::size_t at = 0; (at = word.find(kBlank)) != std::string_view::npos;) {
    if (at > 0) words.emplace_back(word.substr(0, at));
    words.emplace_back(kBlank);
    word.remove_prefix(at + std::string_view(kBlank).size());
  }
  if (!word.empty()) words.emplace_back(word);
}

}  // namespace

std::vector<std::string> cloze_words(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const std::size_t skip = text[at] == ' ' ? 1 : text.substr(at).starts_with(kWide) ? 3 : 0;
    if (skip == 0) {
      ++at;
      continue;
    }
    add_word(out, text.substr(begin, at - begin));
    begin = at += skip;
  }
  add_word(out, text.substr(begin));
  return out;
}

void check_cloze(const Cloze& row, const std::string& path, const ClozeOptions& options) {
  const auto fail = [&](const std::string& what) {
    throw FormatError::at_line(path, row.line, "cloze: " + what);
  };
  const auto stands = [&](const std::string& word) {
    return std::any_of(row.passage.begin(), row.passage.end(), [&](const auto& sentence) {
      return std::find(sentence.begin(), sentence.end(), word) != sentence.end();
    });
  };
  const auto check_length = [&](const char* kind, Index words, Index most) {
    if (words > most) fail(fmt::format("a {} of {} words, above {}", kind, words, most));
  };
  const std::vector<std::string> words = passage_words(row);
  if (std::count(words.begin(), words.end(), kBlank) == std::ssize(words))
    fail(words.empty() ? "no passage before the query" : "the passage has no word but the blank");
  check_length("passage", passage_length(row), options.passage);
  check_length("query", static_cast<Index>(row.query.size()), options.query);
  if (row.query.empty()) fail("the query has no words");
  const auto blanks = std::count(row.query.begin(), row.query.end(), kBlank);
  if (blanks > 1) fail(fmt::format("{} blanks in the query", blanks));
  if (blanks == 0 && !options.questions) fail(fmt::format("no {} in the query", kBlank));
  if (row.answer == kBlank || (!row.answer.empty() && !stands(row.answer))) {
    fail("the answer " + in_quotes(row.answer) + " is no word of the passage");
  }
}

std::vector<std::string> passage_words(const Cloze& row) {
  std::vector<std::string> out;
  for (const auto& sentence : row.passage) out.insert(out.end(), sentence.begin(), sentence.end());
  return out;
}

Index passage_length(const Cloze& row) {
  std::size_t out = 0;
  for (const auto& sentence : row.passage) out += sentence.size();
  return static_cast<Index>(out);
}

std::vector<std::string> different_words(const Cloze& row) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (std::string& word : passage_words(row)) {
    if (seen.insert(word).second) out.push_back(std::move(word));
  }
  return out;
}

std::string most_frequent_word(const Cloze& row) {
  std::unordered_map<std::string, Index> counts;
  for (std::string& word : passage_words(row)) ++counts[std::move(word)];
  std::string out;
  Index most = 0;
  for (const std::string& word : different_words(row)) {
    const bool asked = std::find(row.query.begin(), row.query.end(), word) != row.query.end();
    if (asked || word == kBlank || decode_utf8(word, 0).length == word.size()) continue;
    if (counts[word] > most) {
      most = counts[word];
      out = word;
    }
  }
  return out;
}

}  // namespace heed::data
