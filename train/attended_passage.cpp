#include "attended_passage.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "drawn_alignment.h"

namespace heed::train {

AttendedText attended_passage(const std::vector<std::vector<std::string>>& sentences,
                              const std::vector<double>& weights) {
  AttendedText out;
  std::size_t at = 0;
  for (const std::vector<std::string>& sentence : sentences) {
    out.push_back({1, {}});
    for (const std::string& word : sentence) {
      out.back().words.push_back({word, at < weights.size() ? weights[at] : 0});
      ++at;
    }
  }
  if (at != weights.size()) {
    throw ShapeError(fmt::format("attended_passage: {} weights for {} words", weights.size(), at));
  }
  return out;
}

AttendedText passage_looked_at(const std::vector<std::vector<std::string>>& sentences,
                               const Alignment& looked) {
  const std::size_t columns = looked.columns.size();
  const auto numbers =
      drawn_weights("passage_looked_at", looked.weights, looked.rows.size(), columns);
  std::size_t words = 0;
  for (const auto& sentence : sentences) words += sentence.size();
  std::vector<double> weights(std::max(words, columns));
  for (std::size_t i = 0; i < numbers.size(); ++i) weights[i % columns] += numbers[i];
  return attended_passage(sentences, weights);
}

AttendedText marked_passage(const std::vector<std::vector<std::string>>& sentences,
                            const std::vector<Index>& marked) {
  AttendedText out;
  for (const auto& sentence : sentences) {
    out.push_back({1, {}});
    for (const std::string& word : sentence) out.back().words.push_back({word, 0});
  }
  for (const Index at : marked) {
    if (at < 0 || at >= std::ssize(out)) {
      throw IndexError(fmt::format("marked_passage: no sentence {} of {}", at, out.size()));
    }
    for (AttendedWord& word : out[static_cast<std::size_t>(at)].words) word.weight = 1;
  }
  return out;
}

}  // namespace heed::train
