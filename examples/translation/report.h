// The report of a model as an HTML page, and the picture that holds several against each other:
// BLEU by the source's length, as figure 2 of Bahdanau et al. 2014.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../train/run.h"
#include "evaluation.h"

namespace translation {

/// Everything that is known of a model on the test pairs.
struct Findings {
  Likelihood likelihood;
  Measures measures;
  double alignment_error = 0;  ///< NaN: not known
  Index too_long = 0;          ///< pairs the model has no places for: not in `likelihood`
};
Findings find_out(const Language& language, const Part& test, const TranslateOptions& options);

/// For people; the last line is BLEU as sacreBLEU prints it.
std::string in_words(const Findings& findings, const TranslateOptions& options);

/// A chart with a line for each name, without the lengths of fewer than ten sentences. SVG.
std::string length_chart(const std::vector<std::pair<std::string, std::vector<LengthBleu>>>& all);

/// `training` may be null. Throws IoError.
void write_report(const std::string& path, const Language& language, const Findings& findings,
                  const train::Training* training);

}  // namespace translation
