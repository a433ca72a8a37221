// Everything that is known of a model on test pairs, in words and as an HTML page.
#pragma once

#include <string>

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

/// `training` may be null. Throws IoError.
void write_report(const std::string& path, const Language& language, const Findings& findings,
                  const train::Training* training);

}  // namespace translation
