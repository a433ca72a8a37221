#include "report.h"

#include <fmt/format.h>

#include <cmath>

#include "../../train/curves.h"
#include "../../train/report.h"
#include "alignments.h"
#include "longest.h"

namespace translation {

Findings find_out(const Language& language, const Part& test, const TranslateOptions& options) {
  language.model->eval();
  std::vector<Example> examples = encode(language, test);
  const auto too_long = std::erase_if(
      examples, [&](const Example& pair) { return !fits(language.model->options, pair); });
  return {likelihood(*language.model, examples, options.tokens),
          measure(best_texts(translate(language, test.source, options)), test),
          alignment_error(language, test), static_cast<Index>(too_long)};
}

std::string in_words(const Findings& findings, const TranslateOptions& options) {
  const Measures& measures = findings.measures;
  std::string out = train::to_string(measures.by_length);
  if (findings.too_long > 0) {
    out += fmt::format("pairs longer than the model has places for, left out of perplexity: {}\n",
                       findings.too_long);
  }
  out += fmt::format("perplexity {:.3f}  token accuracy {:.4f}  exact {:.4f}  chrF {:.2f}",
                     std::exp(findings.likelihood.loss), findings.likelihood.accuracy,
                     measures.exact, measures.chrf);
  if (!std::isnan(findings.alignment_error)) {
    out += fmt::format("  alignment error {:.4f}", findings.alignment_error);
  }
  return out + fmt::format("\nbeam {}  BLEU {}\n", options.beam, measures.details);
}

void write_report(const std::string& path, const Language& language, const Findings& findings,
                  const train::Training* training) {
  train::Report report("Translation");
  const Measures& measures = findings.measures;
  report.add_fact("BLEU", fmt::format("{:.2f}", measures.bleu));
  report.add_fact("chrF", fmt::format("{:.2f}", measures.chrf));
  report.add_fact("perplexity", fmt::format("{:.3f}", std::exp(findings.likelihood.loss)));
  report.add_fact("token accuracy", fmt::format("{:.4f}", findings.likelihood.accuracy));
  report.add_fact("exact", fmt::format("{:.4f}", measures.exact));
  if (!std::isnan(findings.alignment_error)) {
    report.add_fact("alignment error", fmt::format("{:.4f}", findings.alignment_error));
  }
  report.add_fact("model", language.model->options.model);
  report.add_fact("parameters", std::to_string(language.model->parameter_count()));
  if (training) train::add_curves(report, *training);
  report.add_chart(train::length_chart({{language.model->options.model, measures.by_length}}));
  report.save(path);
}

}  // namespace translation
