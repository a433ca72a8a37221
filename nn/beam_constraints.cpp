#include "beam_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/error.h"

namespace heed::nn::detail {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Whether `words` ends with the first of `run`, all but its last.
bool continues(const std::vector<Index>& words, const std::vector<Index>& run) {
  return words.size() + 1 >= run.size() &&
         std::equal(run.begin(), run.end() - 1, words.end() - (std::ssize(run) - 1));
}

// In doubles, which hold any penalty, and no further down than the type goes: what is unlikely
// stays possible.
template <class T>
T penalised(T score, double penalty) {
  if (!std::isfinite(score)) return score;
  const double x = static_cast<double>(score);
  const double out = score > 0 ? x / penalty : x * penalty;
  constexpr double kMost = static_cast<double>(std::numeric_limits<T>::max());
  return static_cast<T>(std::clamp(out, -kMost, kMost));
}

}  // namespace

Constraints::Constraints(const BeamSearchOptions& options, Index sources) : options_(options) {
  if (!options.prefixes.empty() && std::ssize(options.prefixes) != sources) {
    throw ValueError(fmt::format("beam_search: prefixes has {} entries for {} sources",
                                 options.prefixes.size(), sources));
  }
  if (options.shortest < 0 || options.no_repeat < 0) {
    throw ValueError(fmt::format("beam_search: {} must not be negative: {}",
                                 options.shortest < 0 ? "shortest" : "no_repeat",
                                 std::min(options.shortest, options.no_repeat)));
  }
  if (!(options.repetition_penalty > 0 && std::isfinite(options.repetition_penalty))) {
    throw ValueError(fmt::format("beam_search: repetition_penalty must be finite and positive: {}",
                                 options.repetition_penalty));
  }
  for (const std::vector<Index>& run : options.suppressed) {
    if (run.empty()) throw ValueError("beam_search: a suppressed run has no word");
  }
  for (const std::vector<Index>& prefix : options.prefixes) {
    if (std::find(prefix.begin(), prefix.end(), options.end) != prefix.end()) {
      throw ValueError("beam_search: a prefix holds the end mark");
    }
  }
  check_words(std::numeric_limits<Index>::max());
}

bool Constraints::any() const {
  return !options_.prefixes.empty() || !options_.suppressed.empty() || options_.shortest > 0 ||
         options_.repetition_penalty != 1 || options_.no_repeat > 0;
}

void Constraints::check_words(Index words) const {
  const auto check = [&](const char* name, const std::vector<std::vector<Index>>& runs) {
    for (const std::vector<Index>& run : runs) {
      for (const Index word : run) {
        if (word >= 0 && word < words) continue;
        throw ValueError(
            fmt::format("beam_search: {} {} is not among {} words", name, word, words));
      }
    }
  };
  check("prefix", options_.prefixes);
  check("suppressed", options_.suppressed);
}

Array Constraints::apply(const Array& scores, const std::vector<WrittenRow>& rows) const {
  Array out = scores.clone();
  visit_floating("beam_search", out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const data = out.mutable_data<T>();
    const Index words = out.size(1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      apply(data + static_cast<Index>(r) * words, words, rows[r]);
    }
  });
  return out;
}

template <class T>
void Constraints::apply(T* scores, Index words, const WrittenRow& row) const {
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  const std::vector<Index>& before = row.words;
  if (!options_.prefixes.empty() && before.size() < options_.prefixes[at(row.source)].size()) {
    const Index forced = options_.prefixes[at(row.source)][before.size()];
    for (Index word = 0; word < words; ++word) scores[word] = word == forced ? T{0} : kNever;
    return;
  }
  if (options_.repetition_penalty != 1) {
    std::vector<Index> used = before;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const Index word : used) {
      scores[word] = penalised(scores[word], options_.repetition_penalty);
    }
  }
  for (const std::vector<Index>& run : options_.suppressed) {
    if (continues(before, run)) scores[run.back()] = kNever;
  }
  if (const auto n = static_cast<std::size_t>(options_.no_repeat); n > 0) {
    for (std::size_t i = 0; i + n <= before.size(); ++i) {
      if (std::equal(before.begin() + static_cast<Index>(i),
                     before.begin() + static_cast<Index>(i + n - 1),
                     before.end() - static_cast<Index>(n) + 1)) {
        scores[before[i + n - 1]] = kNever;
      }
    }
  }
  if (std::ssize(before) < options_.shortest) scores[options_.end] = kNever;
}

}  // namespace heed::nn::detail
