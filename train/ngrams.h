// N-grams, for measures that compare a text with references: words or characters as numbers, and
// how many of their n-grams two texts share.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

/// Words or characters, equal ones as equal numbers.
using Symbols = std::vector<Index>;

/// All that Unicode calls so, and U+001C to U+001F: Python's str.isspace().
bool is_white_space(char32_t c);
/// What stands between white space (all that Unicode calls so), views into `line`.
std::vector<std::string_view> split_words(std::string_view line);
/// Numbers words, the same word by the same number in all lines.
class WordNumbers {
 public:
  WordNumbers();
  ~WordNumbers();
  Symbols operator()(std::string_view line);

 private:
  std::map<std::string, Index, std::less<>> numbers_;
};

/// Code points, U+FFFD for bytes that are not UTF-8.
Symbols number_characters(std::string_view line, bool with_white_space);

/// How many n-grams there are. n > 0.
Index count_ngrams(const Symbols& text, Index n);
/// How many of the n-grams of `text` occur in the references, each counted at most as often as the
/// reference has it that has it most. Takes time N log N.
Index common_ngrams(const Symbols& text, std::span<const Symbols> references, Index n);

/// Throw ValueError in `measure`'s name: unless there are lines, and as many references; unless a
/// line has a reference.
void check_lines(const char* measure, std::size_t systems, std::size_t references);
void check_references(const char* measure, std::span<const std::string> references);

}  // namespace heed::train
