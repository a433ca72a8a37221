#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../train/chart.h"
#include "../../train/curves.h"
#include "../../train/report.h"
#include "alignments.h"
#include "longest.h"

namespace translation {

namespace {

constexpr Index kFewest = 10;  // sentences of a length whose BLEU is drawn

}  // namespace

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
  std::string out;
  for (const LengthBleu& row : measures.by_length) {
    const std::string to = row.to > kLongestLength ? "more" : fmt::format("{}", row.to);
    out += fmt::format("  sources of {:>2} to {:<4} words: BLEU {:5.2f}  ({} sentences)\n",
                       row.from, to, row.bleu, row.sentences);
  }
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

std::string length_chart(const std::vector<std::pair<std::string, std::vector<LengthBleu>>>& all) {
  std::vector<train::Series> lines;
  for (const auto& [name, rows] : all) {
    train::Series line{name, {}, {}};
    Index most = 0;
    for (const LengthBleu& row : rows) most = std::max(most, row.sentences);
    for (const LengthBleu& row : rows) {
      if (row.sentences < std::min(kFewest, most)) continue;
      line.x.push_back(static_cast<double>(row.from) + (kLengthStep - 1) / 2.0);
      line.y.push_back(row.bleu);
    }
    lines.push_back(line);
  }
  return train::line_chart(
      lines, {.title = "BLEU by length", .x_label = "words of the source", .y_label = "BLEU"});
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
  report.add_chart(length_chart({{language.model->options.model, measures.by_length}}));
  report.save(path);
}

}  // namespace translation
