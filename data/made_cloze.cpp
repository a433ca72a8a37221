#include "made_cloze.h"

#include <fmt/format.h>

#include <map>

#include "../core/error.h"
#include "utf8.h"

namespace heed::data {

std::vector<Cloze> make_cloze(const Cloze& row, const std::set<std::string>& askable,
                              const MadeClozeOptions& options, Generator& generator) {
  if (options.queries < 0 || options.shortest < 0 || options.longest < 0) {
    throw ValueError(fmt::format("made cloze: {} queries of {} to {} words cannot be made",
                                 options.queries, options.shortest, options.longest));
  }
  Cloze whole{.passage = row.passage, .query = {}, .answer = {}, .line = row.line};
  struct Place {
    std::size_t sentence, word;
  };
  std::vector<Place> places;  // where a blank may be
  std::map<std::string, Index> counts;
  for (std::size_t s = 0; s < whole.passage.size(); ++s) {
    const auto length = static_cast<Index>(whole.passage[s].size());
    for (std::size_t w = 0; w < whole.passage[s].size(); ++w) {
      std::string& word = whole.passage[s][w];
      if (word == kBlank && !row.answer.empty()) word = row.answer;
      if (!askable.contains(word)) continue;
      ++counts[word];
      if (length >= options.shortest && length <= options.longest) places.push_back({s, w});
    }
  }
  std::vector<Cloze> out;
  for (const Index i : generator.permutation(static_cast<Index>(places.size()))) {
    if (static_cast<Index>(out.size()) == options.queries) break;
    const Place at = places[static_cast<std::size_t>(i)];
    Index& count = counts[whole.passage[at.sentence][at.word]];
    if (count < 2) continue;
    count = 0;  // asked for
    Cloze made = whole;
    std::swap(made.answer, made.passage[at.sentence][at.word]);
    made.passage[at.sentence][at.word] = kBlank;
    made.query = made.passage[at.sentence];
    out.push_back(std::move(made));
  }
  return out;
}

std::set<std::string> askable_words(const std::vector<std::vector<Cloze>>& passages, double most) {
  std::set<std::string> answers, out;
  std::map<std::string, std::size_t> counts;
  double all = 0;
  for (const std::vector<Cloze>& rows : passages) {
    if (rows.empty()) continue;
    ++all;
    for (const Cloze& row : rows) answers.insert(row.answer);
    for (const std::string& word : different_words(rows.front())) ++counts[word];
  }
  const auto letters = [](const std::string& word) {
    Index count = 0;
    for (std::size_t at = 0; at < word.size();) {
      const Decoded each = decode_utf8(word, at);
      const CharClass kind = classify(each.code);
      if (kind != CharClass::word && kind != CharClass::alone) return Index{0};
      at += each.length;
      ++count;
    }
    return count;
  };
  const double limit = most * all;
  for (const auto& [word, count] : counts) {
    if (word == kBlank || static_cast<double>(count) >= limit) continue;
    const Index length = letters(word);
    if (length > 1 || (length == 1 && answers.contains(word))) out.insert(word);
  }
  return out;
}

std::vector<std::vector<Cloze>> by_passage(std::vector<Cloze> rows) {
  std::vector<std::vector<Cloze>> out;
  std::map<std::string, std::size_t> numbers;
  for (Cloze& row : rows) {
    std::string text;
    for (const std::string& word : passage_words(row))
      text += (word == kBlank ? row.answer : word) + ' ';
    const std::size_t at = numbers.try_emplace(text, out.size()).first->second;
    if (at == out.size()) out.emplace_back();
    out[at].push_back(std::move(row));
  }
  return out;
}

}  // namespace heed::data
