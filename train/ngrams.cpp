#include "ngrams.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../core/error.h"
#include "../data/utf8.h"

namespace heed::train {
namespace {

// Negative, 0, positive: the n-gram at `a` comes before that at `b`, is the same, comes after.
int compare(const Index* a, const Index* b, Index n) {
  for (Index i = 0; i < n; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// Where the n-grams begin, equal ones side by side.
std::vector<const Index*> sorted_ngrams(const Symbols& text, Index n) {
  std::vector<const Index*> begins(static_cast<std::size_t>(count_ngrams(text, n)));
  std::iota(begins.begin(), begins.end(), text.data());
  std::sort(begins.begin(), begins.end(),
            [n](const Index* a, const Index* b) { return compare(a, b, n) < 0; });
  return begins;
}

}  // namespace

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    const data::Decoded c = data::decode_utf8(line, at);
    if (is_white_space(c.code)) {
      if (at > begin) words.push_back(line.substr(begin, at - begin));
      begin = at + c.length;
    }
    at += c.length;
  }
  if (line.size() > begin) words.push_back(line.substr(begin));
  return words;
}

WordNumbers::WordNumbers() = default;
WordNumbers::~WordNumbers() = default;

Symbols WordNumbers::operator()(std::string_view line) {
  Symbols out;
  for (const std::string_view word : split_words(line)) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) found = numbers_.emplace(word, numbers_.size()).first;
    out.push_back(found->second);
  }
  return out;
}

Symbols number_characters(std::string_view line, bool with_white_space) {
  Symbols out;
  for (std::size_t at = 0; at < line.size();) {
    const data::Decoded c = data::decode_utf8(line, at);
    if (with_white_space || !is_white_space(c.code)) out.push_back(static_cast<Index>(c.code));
    at += c.length;
  }
  return out;
}

Index count_ngrams(const Symbols& text, Index n) {
  return std::max<Index>(0, static_cast<Index>(text.size()) - n + 1);
}

Index common_ngrams(const Symbols& text, std::span<const Symbols> references, Index n) {
  const std::vector<const Index*> ngrams = sorted_ngrams(text, n);
  // Of each run of equal n-grams, at its first: how often the reference has it that has it most.
  std::vector<Index> most(ngrams.size());
  const auto end_of_run = [&](std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < ngrams.size() && compare(ngrams[begin], ngrams[end], n) == 0) ++end;
    return end;
  };
  for (const Symbols& reference : references) {
    const std::vector<const Index*> others = sorted_ngrams(reference, n);
    std::size_t at = 0;
    for (std::size_t run = 0; run < ngrams.size(); run = end_of_run(run)) {
      while (at < others.size() && compare(others[at], ngrams[run], n) < 0) ++at;
      const std::size_t first = at;
      while (at < others.size() && compare(others[at], ngrams[run], n) == 0) ++at;
      most[run] = std::max(most[run], static_cast<Index>(at - first));
    }
  }
  Index common = 0;
  for (std::size_t run = 0; run < ngrams.size();) {
    const std::size_t end = end_of_run(run);
    common += std::min(most[run], static_cast<Index>(end - run));
    run = end;
  }
  return common;
}

void check_lines(const char* measure, std::size_t systems, std::size_t references) {
  if (systems == 0) throw ValueError(fmt::format("{}: there are no lines", measure));
  if (systems != references) {
    throw ValueError(
        fmt::format("{}: {} lines, but references for {}", measure, systems, references));
  }
}

void check_references(const char* measure, std::span<const std::string> references) {
  if (references.empty()) throw ValueError(fmt::format("{}: a line has no reference", measure));
}

}  // namespace heed::train
