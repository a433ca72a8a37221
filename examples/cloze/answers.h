// What a reader answers, how often it is right, and how it is shown: as text with the passage
// shaded, and as a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../train/picture.h"
#include "../../train/shade.h"
#include "model.h"

namespace cloze {

struct Answer {
  std::vector<std::pair<std::string, double>> words;  ///< of the passage, the likeliest first
  std::vector<double> weights;                        ///< of the passage's places, [D]
  std::vector<double> of_query;                       ///< of aoa: beta, [T]
  Array by_query;                                     ///< of aoa: alpha, f64 [T, D]
};
/// The model is put into eval mode. Throws FormatError as check_cloze() does.
Answer answer(const Reader& reader, const Cloze& row, const std::string& path);

struct Score {
  Index right = 0, frequent = 0, count = 0;  ///< frequent: of the baseline, most_frequent_word()
  double loss = 0;                           ///< the mean
  double share(Index of) const { return static_cast<double>(of) / static_cast<double>(count); }
};
/// At least one row, with its answer. The model is put into eval mode.
Score evaluate(const Reader& reader, const std::vector<Cloze>& rows);

/// The first three answers with their probabilities, the passage, and of aoa the query, both
/// shaded.
std::string in_text(const Cloze& row, const Answer& found, train::ShadeStyle style);
/// Across the 80 words of the passage looked at most; down the query's words, each with its beta
/// and where it looked, of aoa alone, and last the whole.
train::Picture in_picture(const Cloze& row, const Answer& found);

}  // namespace cloze
