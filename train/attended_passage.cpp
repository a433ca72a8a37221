#include "attended_passage.h"

#include <fmt/format.h>

#include "../core/error.h"

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

}  // namespace heed::train
