#include "length_bleu.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../data/parallel_text.h"
#include "chart.h"
#include "ngrams.h"

namespace heed::train {
namespace {

constexpr Index kStep = 5, kLongest = 30;  // words
constexpr Index kFewest = 10;              // sentences of a length whose BLEU is drawn

}  // namespace

std::vector<LengthBleu> bleu_by_length(const std::vector<std::string>& systems,
                                       const std::vector<std::string>& references,
                                       const std::vector<std::string>& sources,
                                       const BleuOptions& options) {
  if (systems.size() != references.size() || systems.size() != sources.size()) {
    throw ValueError(fmt::format("bleu_by_length: {} lines, {} references and {} sources",
                                 systems.size(), references.size(), sources.size()));
  }
  check_lines("bleu_by_length", systems.size(), references.size());
  std::vector<LengthBleu> out;
  for (Index from = 1; from <= kLongest + 1; from += kStep) {
    const Index to = from > kLongest ? 0 : from + kStep - 1;
    std::vector<std::string> ours, right;
    for (std::size_t i = 0; i < systems.size(); ++i) {
      const auto words = data::words_in(sources[i]);
      if (words < from || (to > 0 && words > to)) continue;
      ours.push_back(systems[i]);
      right.push_back(references[i]);
    }
    if (ours.empty()) continue;
    const double bleu = corpus_bleu(ours, right, options).score;
    out.push_back({from, to, static_cast<Index>(ours.size()), bleu});
  }
  return out;
}

std::string to_string(const std::vector<LengthBleu>& rows) {
  std::string out;
  for (const LengthBleu& row : rows) {
    const std::string to = row.to == 0 ? "more" : fmt::format("{}", row.to);
    out += fmt::format("  sources of {:>2} to {:<4} words: BLEU {:5.2f}  ({} sentences)\n",
                       row.from, to, row.bleu, row.sentences);
  }
  return out;
}

std::string length_chart(const std::vector<std::pair<std::string, std::vector<LengthBleu>>>& all) {
  std::vector<Series> lines;
  for (const auto& [name, rows] : all) {
    Series line{name, {}, {}};
    Index most = 0;
    for (const LengthBleu& row : rows) most = std::max(most, row.sentences);
    for (const LengthBleu& row : rows) {
      if (row.sentences < std::min(kFewest, most)) continue;
      line.x.push_back(static_cast<double>(row.from) + (kStep - 1) / 2.0);
      line.y.push_back(row.bleu);
    }
    lines.push_back(line);
  }
  return line_chart(
      lines, {.title = "BLEU by length", .x_label = "words of the source", .y_label = "BLEU"});
}

}  // namespace heed::train
