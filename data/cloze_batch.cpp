#include "cloze_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "../core/error.h"
#include "batches.h"
#include "utf8.h"

namespace heed::data {
namespace {

using Rows = std::vector<std::vector<Index>>;

// Of a word.
template <class Visit>
void each_letter(const std::string& word, const Visit& visit) {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = decode_utf8(word, at).length;
    visit(word.substr(at, length));
    at += length;
  }
}

struct Sides {
  Rows words, marks, letters;

  ClozeBatch::Side batch() const {
    const Padded padded = pad(words);
    const auto B = static_cast<Index>(words.size());
    return {padded.ids, pad(marks).ids, pad(letters).ids.reshape({B, -1, kLetters}),
            padded.lengths};
  }
};

}  // namespace

std::vector<std::vector<std::string>> cloze_sentences(const std::vector<Cloze>& rows) {
  std::set<std::vector<std::string>> seen;
  std::vector<std::vector<std::string>> out;
  for (const Cloze& row : rows) {
    for (const auto& sentence : row.passage) {
      if (seen.insert(sentence).second) out.push_back(sentence);
    }
    if (seen.insert(row.query).second) out.push_back(row.query);
  }
  return out;
}

ClozeNumbers cloze_numbers(const std::vector<Cloze>& rows, Index min_count) {
  WordCounts words, letters;
  for (const auto& sentence : cloze_sentences(rows)) {
    for (const std::string& word : sentence) {
      ++words[word];
      each_letter(word, [&](const std::string& letter) { ++letters[letter]; });
    }
  }
  ClozeNumbers out;
  out.words = Vocabulary::from_counts(words, {.min_count = min_count});
  out.letters = Vocabulary::from_counts(letters, {.min_count = min_count});
  return out;
}

ClozeBatch cloze_batch(const std::vector<Cloze>& rows, const ClozeNumbers& numbers) {
  if (rows.empty()) throw ValueError("cloze batch: no rows");
  if (numbers.unknown <= 0) {
    throw ValueError(fmt::format("cloze batch: {} numbers for unknown words; needs at least 1",
                                 numbers.unknown));
  }
  Sides passages, queries;
  Rows places, answers;
  ClozeBatch out;
  for (const Cloze& row : rows) {
    const std::vector<std::string> words = passage_words(row);
    if (words.empty() || row.query.empty()) throw ValueError("cloze batch: a row without words");
    std::unordered_map<std::string, Index> counts, unknown, place;
    places.emplace_back();
    for (const std::string& word : words) {
      ++counts[word];
      const auto next = static_cast<Index>(place.size());
      places.back().push_back(place.try_emplace(word, next).first->second);
    }
    out.candidates = std::max(out.candidates, static_cast<Index>(place.size()));
    const auto answer = place.find(row.answer);
    answers.push_back({answer == place.end() ? 0 : answer->second});
    const auto number = [&](const std::string& word) {
      if (numbers.words.contains(word)) return numbers.words.id(word);
      const auto next = static_cast<Index>(unknown.size());
      return numbers.words.size() + unknown.try_emplace(word, next).first->second % numbers.unknown;
    };
    const auto take = [&](const std::vector<std::string>& from, Sides& to) {
      to.words.emplace_back();
      to.marks.emplace_back();
      to.letters.emplace_back();
      for (const std::string& word : from) {
        to.words.back().push_back(number(word));
        const bool asked = numbers.overlap &&
                           std::find(row.query.begin(), row.query.end(), word) != row.query.end();
        const auto count = counts.find(word);
        to.marks.back().push_back(
            (count == counts.end() ? 0 : std::min(count->second, kMostOften)) +
            (asked ? kMostOften + 1 : 0));
        std::vector<Index>& letters = to.letters.back();
        const std::size_t end = letters.size() + static_cast<std::size_t>(kLetters);
        each_letter(word, [&](const std::string& letter) {
          if (letters.size() < end) letters.push_back(numbers.letters.id(letter));
        });
        letters.resize(end, Vocabulary::kPadding);
      }
    };
    take(words, passages);
    take(row.query, queries);
  }
  out.passage = passages.batch();
  out.query = queries.batch();
  out.places = pad(places).ids;
  out.answers = pad(answers).ids;
  return out;
}

}  // namespace heed::data
