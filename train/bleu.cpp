#include "bleu.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <span>

#include "../core/error.h"
#include "../data/utf8.h"
#include "ngrams.h"

namespace heed::train {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_other(char c) { return !is_digit(c); }
bool is_stop(char c) { return c == '.' || c == ','; }
bool is_dash(char c) { return c == '-'; }
// All of ASCII's punctuation and the blank, but ' , - .
bool is_mark(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Parts each pair of a `first` and a `second`, from the left, no character in two pairs; `before`
// puts another blank before the pair, else there is one behind it.
std::string part(std::string_view text, bool (*first)(char), bool (*second)(char), bool before) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (before) out += ' ';
    out += text[i];
    out += ' ';
    out += text[++i];
    if (!before) out += ' ';
  }
  return out;
}

double check_smooth_value(const BleuOptions& options) {
  const double by_default = options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
  const double value = options.smooth_value.value_or(by_default);
  if (!std::isfinite(value) || value < 0.0) {
    throw ValueError(fmt::format("bleu: the smooth value is {}; needs at least 0", value));
  }
  return value;
}

// Adds a line's numbers.
void count_line(std::string_view system, std::span<const std::string> references,
                const BleuOptions& options, Bleu& to) {
  check_references("bleu", references);
  WordNumbers numbers;
  const auto words = [&](std::string_view line) {
    switch (options.tokens) {
      case BleuTokens::mteval_13a: return numbers(tokenize_13a(line));
      case BleuTokens::characters: return numbers(tokenize_characters(line));
      case BleuTokens::given: break;
    }
    return numbers(line);
  };
  const Symbols text = words(system);
  const auto length = static_cast<Index>(text.size());
  std::vector<Symbols> others;
  Index nearest = -1;
  for (const std::string& reference : references) {
    others.push_back(words(reference));
    const auto other = static_cast<Index>(others.back().size());
    const Index distance = std::abs(other - length), least = std::abs(nearest - length);
    if (nearest < 0 || distance < least || (distance == least && other < nearest)) nearest = other;
  }
  to.system_length += length;
  to.reference_length += nearest;
  for (std::size_t i = 0; i < kBleuOrders; ++i) {
    const auto n = static_cast<Index>(i + 1);
    to.totals[i] += count_ngrams(text, n);
    to.counts[i] += common_ngrams(text, others, n);
  }
}

}  // namespace

std::string tokenize_characters(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const data::Decoded c = data::decode_utf8(line, at);
    at += c.length;
    if (is_white_space(c.code)) continue;
    if (!out.empty()) out += ' ';
    data::append_utf8(out, c.code);
  }
  return out;
}

std::string tokenize_13a(std::string_view line) {
  // sacreBLEU strips the line's end first, so that a dash there stays.
  std::string text(line.substr(0, line.find_last_not_of(" \t\n\v\f\r") + 1));
  static constexpr std::string_view kReplaced[][2] = {
      {"<skipped>", ""}, {"-\n", ""},   {"\n", " "},   {"&quot;", "\""},
      {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"},
  };
  for (const auto& [from, to] : kReplaced) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }

  std::string spaced = " ";
  for (const char c : text) {
    if (is_mark(c)) {
      spaced += ' ';
      spaced += c;
      spaced += ' ';
    } else {
      spaced += c;
    }
  }
  spaced += ' ';
  spaced = part(spaced, is_other, is_stop, false);
  spaced = part(spaced, is_stop, is_other, true);
  spaced = part(spaced, is_digit, is_dash, false);

  std::string out;
  for (const std::string_view word : split_words(spaced)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

Bleu bleu_of_counts(Bleu counted, const BleuOptions& options) {
  const double smooth_value = check_smooth_value(options);
  Bleu out = counted;
  bool any = false;
  bool possible = out.system_length >= 0 && out.reference_length >= 0;
  for (std::size_t i = 0; i < kBleuOrders; ++i) {
    any = any || out.counts[i] > 0;
    possible = possible && out.counts[i] >= 0 && out.counts[i] <= out.totals[i];
  }
  if (!possible) throw ValueError("bleu: counts are at least 0 and at most the totals");

  const auto system = static_cast<double>(out.system_length);
  const auto reference = static_cast<double>(out.reference_length);
  out.brevity_penalty = 1.0;
  if (system < reference) out.brevity_penalty = system > 0 ? std::exp(1 - reference / system) : 0.0;
  out.precisions = {};
  out.score = 0.0;
  if (!any) return out;

  double halved = 1.0;
  std::size_t orders = kBleuOrders;
  for (std::size_t i = 0; i < kBleuOrders; ++i) {
    const double added = options.smoothing == BleuSmoothing::add_k && i > 0 ? smooth_value : 0.0;
    double count = static_cast<double>(out.counts[i]) + added;
    const double total = static_cast<double>(out.totals[i]) + added;
    if (total == 0) break;
    if (options.effective_order) orders = i + 1;
    if (count == 0 && options.smoothing == BleuSmoothing::exp) count = halved /= 2;
    if (count == 0 && options.smoothing == BleuSmoothing::floor) count = smooth_value;
    out.precisions[i] = 100 * count / total;
  }
  double sum = 0.0;  // an order without any share makes it -inf, and the score 0
  for (std::size_t i = 0; i < orders; ++i) sum += std::log(out.precisions[i]);
  out.score = out.brevity_penalty * std::exp(sum / static_cast<double>(orders));
  return out;
}

Bleu corpus_bleu(const std::vector<std::string>& systems,
                 const std::vector<std::vector<std::string>>& references,
                 const BleuOptions& options) {
  check_lines("bleu", systems.size(), references.size());
  Bleu counted;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    count_line(systems[i], references[i], options, counted);
  }
  return bleu_of_counts(counted, options);
}

Bleu corpus_bleu(const std::vector<std::string>& systems,
                 const std::vector<std::string>& references, const BleuOptions& options) {
  check_lines("bleu", systems.size(), references.size());
  Bleu counted;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    count_line(systems[i], {&references[i], 1}, options, counted);
  }
  return bleu_of_counts(counted, options);
}

Bleu sentence_bleu(std::string_view system, const std::vector<std::string>& references,
                   BleuOptions options) {
  options.effective_order = true;
  Bleu counted;
  count_line(system, references, options, counted);
  return bleu_of_counts(counted, options);
}

std::string Bleu::to_string() const {
  const double ratio = reference_length > 0 ? static_cast<double>(system_length) /
                                                  static_cast<double>(reference_length)
                                            : 0.0;
  return fmt::format(
      "{:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
      score, precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio,
      system_length, reference_length);
}

}  // namespace heed::train
