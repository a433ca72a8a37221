// BLEU by the length of the source, as figure 2 of Bahdanau et al. 2014: sentences of 1 to 5 words,
// of 6 to 10, and so on, and all of more than 30 together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../core/shape.h"
#include "bleu.h"

namespace heed::train {

/// Of the sentences whose source has from .. to words; `to` is 0 where there is no limit.
struct LengthBleu {
  Index from, to;
  Index sentences;
  double bleu;
};

/// In ascending order, without the lengths that no sentence has; a source without a word is in no
/// row. Throws ValueError as corpus_bleu(), without a line too, and for another number of sources.
std::vector<LengthBleu> bleu_by_length(const std::vector<std::string>& systems,
                                       const std::vector<std::string>& references,
                                       const std::vector<std::string>& sources,
                                       const BleuOptions& options = {});

/// For people, a line each.
std::string to_string(const std::vector<LengthBleu>& rows);

/// A chart with a line for each name, without the lengths of fewer than ten sentences. SVG.
std::string length_chart(const std::vector<std::pair<std::string, std::vector<LengthBleu>>>& all);

}  // namespace heed::train
