#include "rouge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "../core/error.h"
#include "ngrams.h"

namespace heed::train {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Words as numbers, the same in both texts.
class Numbers {
 public:
  std::vector<Symbols> operator()(const RougeText& text) {
    std::vector<Symbols> out;
    for (const std::string& sentence : text) {
      Symbols& row = out.emplace_back();
      for (const std::string& word : rouge_words(sentence)) {
        row.push_back(numbers_.emplace(word, static_cast<Index>(numbers_.size())).first->second);
      }
    }
    return out;
  }

 private:
  std::map<std::string, Index> numbers_;
};

Symbols joined(const std::vector<Symbols>& sentences) {
  Symbols out;
  for (const Symbols& each : sentences) out.insert(out.end(), each.begin(), each.end());
  return out;
}

RougeScore score_of(Index common, Index of_summary, Index of_reference) {
  if (common == 0) return {};
  RougeScore out;
  out.recall = static_cast<double>(common) / static_cast<double>(of_reference);
  out.precision = static_cast<double>(common) / static_cast<double>(of_summary);
  out.f = 2 * out.precision * out.recall / (out.precision + out.recall);
  return out;
}

RougeScore rouge_n(const Symbols& summary, const Symbols& reference, Index n) {
  return score_of(common_ngrams(summary, std::span(&reference, 1), n), count_ngrams(summary, n),
                  count_ngrams(reference, n));
}

// Marks the words of `reference` that are in its longest common subsequence with `sentence`. Of
// several as long as each other the script's: from the end, a word that differs is dropped from
// `reference` unless that makes the subsequence shorter.
void mark_lcs(const Symbols& reference, const Symbols& sentence, std::vector<bool>& marked) {
  const std::size_t R = reference.size(), S = sentence.size(), width = S + 1;
  std::vector<int> longest((R + 1) * width, 0);
  for (std::size_t r = 1; r <= R; ++r) {
    for (std::size_t s = 1; s <= S; ++s) {
      longest[r * width + s] =
          reference[r - 1] == sentence[s - 1]
              ? longest[(r - 1) * width + s - 1] + 1
              : std::max(longest[(r - 1) * width + s], longest[r * width + s - 1]);
    }
  }
  for (std::size_t r = R, s = S; r > 0 && s > 0;) {
    if (reference[r - 1] == sentence[s - 1]) {
      marked[--r] = true;
      --s;
    } else if (longest[(r - 1) * width + s] >= longest[r * width + s - 1]) {
      --r;
    } else {
      --s;
    }
  }
}

RougeScore rouge_l(const std::vector<Symbols>& summary, const std::vector<Symbols>& reference) {
  const Symbols all = joined(summary);
  std::map<Index, Index> left;  // how often the summary still has a word
  for (const Index word : all) ++left[word];
  Index common = 0, words = 0;
  for (const Symbols& row : reference) {
    std::vector<bool> marked(row.size(), false);
    for (const Symbols& sentence : summary) mark_lcs(row, sentence, marked);
    for (std::size_t i = 0; i < row.size(); ++i) {
      // A place of the reference counts once, a word of the summary once.
      if (marked[i] && left[row[i]]-- > 0) ++common;
    }
    words += static_cast<Index>(row.size());
  }
  return score_of(common, static_cast<Index>(all.size()), words);
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text) {
  std::vector<std::string> out;
  bool inside = false;
  for (const char c : text) {
    const bool counts = is_letter(c) || (c >= '0' && c <= '9');
    if (counts && !inside) out.emplace_back();
    if (counts) out.back() += lower(c);
    inside = counts;
  }
  return out;
}

std::string Rouge::to_string() const {
  return fmt::format("{:8.2f} {:8.2f} {:8.2f}", 100 * one.f, 100 * two.f, 100 * l.f);
}

Rouge rouge(const RougeText& summary, const RougeText& reference) {
  Numbers numbers;
  const std::vector<Symbols> own = numbers(summary), other = numbers(reference);
  const Symbols flat = joined(own), flat_reference = joined(other);
  return {rouge_n(flat, flat_reference, 1), rouge_n(flat, flat_reference, 2), rouge_l(own, other)};
}

Rouge mean_rouge(const std::vector<RougeText>& summaries,
                 const std::vector<RougeText>& references) {
  if (summaries.empty()) throw ValueError("rouge: there are no texts");
  if (summaries.size() != references.size()) {
    throw ValueError(
        fmt::format("rouge: {} texts, but references for {}", summaries.size(), references.size()));
  }
  Rouge out;
  const auto share = 1 / static_cast<double>(summaries.size());
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const Rouge one = rouge(summaries[i], references[i]);
    for (RougeScore Rouge::*score : {&Rouge::one, &Rouge::two, &Rouge::l}) {
      (out.*score).recall += share * (one.*score).recall;
      (out.*score).precision += share * (one.*score).precision;
      (out.*score).f += share * (one.*score).f;
    }
  }
  return out;
}

}  // namespace heed::train
