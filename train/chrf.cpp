#include "chrf.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "../core/error.h"
#include "ngrams.h"

namespace heed::train {
namespace {

constexpr Index kLongest = 64;

struct Counts {
  Index system = 0, reference = 0, common = 0;
};

void check(const ChrfOptions& options) {
  const Index chars = options.char_order, words = options.word_order;
  if (chars < 1 || chars > kLongest || words < 0 || words > kLongest) {
    throw ValueError(
        fmt::format("chrf: char_order is {} and word_order {}; needs 1 to {} and 0 to {}", chars,
                    words, kLongest, kLongest));
  }
  if (!std::isfinite(options.beta) || options.beta <= 0.0) {
    throw ValueError(fmt::format("chrf: beta is {}; needs to be above 0", options.beta));
  }
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// A blank before the punctuation mark that ends a word, or else behind the one that begins it.
std::string part_punctuation(std::string_view line) {
  std::string out;
  for (const std::string_view word : split_words(line)) {
    const bool at_end = word.size() > 1 && is_punctuation(word.back());
    const bool at_begin = word.size() > 1 && !at_end && is_punctuation(word.front());
    const std::size_t cut = at_end ? word.size() - 1 : (at_begin ? 1 : 0);
    out += word.substr(0, cut);
    out += ' ';
    out += word.substr(cut);
    out += ' ';
  }
  return out;
}

void count(const Symbols& system, const Symbols& reference, Index orders,
           std::vector<Counts>& out) {
  for (Index n = 1; n <= orders; ++n) {
    const Index of_reference = count_ngrams(reference, n);
    out.push_back({of_reference > 0 ? count_ngrams(system, n) : 0, of_reference,
                   common_ngrams(system, std::span(&reference, 1), n)});
  }
}

double score(const std::vector<Counts>& counts, double beta) {
  double precision = 0.0, recall = 0.0, orders = 0.0;
  for (const Counts& c : counts) {
    if (c.system == 0 || c.reference == 0) continue;
    precision += static_cast<double>(c.common) / static_cast<double>(c.system);
    recall += static_cast<double>(c.common) / static_cast<double>(c.reference);
    orders += 1.0;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  const double factor = beta * beta;
  return 100.0 * (1.0 + factor) * precision * recall / (factor * precision + recall);
}

// Adds the line's counts against the reference of the best score, the first of equals.
void count_line(std::string_view system, std::span<const std::string> references,
                const ChrfOptions& options, std::vector<Counts>& to) {
  check_references("chrf", references);
  WordNumbers numbers;
  const Symbols characters = number_characters(system, options.white_space);
  const Symbols words = numbers(part_punctuation(system));
  std::vector<Counts> best, counts;
  double best_score = -1.0;
  for (const std::string& reference : references) {
    counts.clear();
    count(characters, number_characters(reference, options.white_space), options.char_order,
          counts);
    count(words, numbers(part_punctuation(reference)), options.word_order, counts);
    const double reached = score(counts, options.beta);
    if (reached <= best_score) continue;
    best_score = reached;
    best.swap(counts);
  }
  to.resize(best.size());
  for (std::size_t i = 0; i < best.size(); ++i) {
    to[i].system += best[i].system;
    to[i].reference += best[i].reference;
    to[i].common += best[i].common;
  }
}

}  // namespace

double corpus_chrf(const std::vector<std::string>& systems,
                   const std::vector<std::vector<std::string>>& references,
                   const ChrfOptions& options) {
  check(options);
  check_lines("chrf", systems.size(), references.size());
  std::vector<Counts> counts;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    count_line(systems[i], references[i], options, counts);
  }
  return score(counts, options.beta);
}

double corpus_chrf(const std::vector<std::string>& systems,
                   const std::vector<std::string>& references, const ChrfOptions& options) {
  check(options);
  check_lines("chrf", systems.size(), references.size());
  std::vector<Counts> counts;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    count_line(systems[i], {&references[i], 1}, options, counts);
  }
  return score(counts, options.beta);
}

double sentence_chrf(std::string_view system, const std::vector<std::string>& references,
                     const ChrfOptions& options) {
  check(options);
  std::vector<Counts> counts;
  count_line(system, references, options, counts);
  return score(counts, options.beta);
}

}  // namespace heed::train
