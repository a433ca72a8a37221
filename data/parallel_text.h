// Lines and their translations: two files in which the same line is a pair, or one file of
// tab-separated columns; plain or gzip. As they stand, or without the pairs that would spoil
// training, which are counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

/// Which pairs are left out; by default none, as is right for a test set. Words are those of
/// words_in().
struct ParallelOptions {
  bool skip_empty = false;  ///< those of which a side has no words
  /// Those of which a side has more words; 0: no limit. An ideograph or kana is a word.
  Index max_words = 0;
  double max_ratio = 0.0;  ///< those of which a side has more than so many times the words of the
                           ///< other; 0: no limit
};

struct ParallelText {
  std::vector<std::string> source, target;  ///< as many of each; U+FFFD for what is not UTF-8
  std::vector<std::uint64_t> lines;         ///< where each pair stood, from 1
  /// Pairs left out, each for the first of these reasons that holds.
  Index empty = 0, too_long = 0, unequal = 0;
  Index repaired = 0;  ///< pairs kept that were not UTF-8
};

/// Words of a line: what stands between blanks, and each ideograph and kana, which stand without.
Index words_in(std::string_view line);

/// Puts the pairs of `more` behind those of `text`, and adds what was left out.
void append(ParallelText& text, ParallelText more);

/// "3 empty, 1 too long, 2 of unequal lengths"; empty where no pair was left out.
std::string left_out(const ParallelText& text);

/// Throws ValueError for max_words < 0 or a max_ratio that is neither 0 nor at least 1; FormatError
/// that names file and line where one file ends before the other, or both are empty; what TextFile
/// throws.
ParallelText read_parallel(const std::string& source_path, const std::string& target_path,
                           const ParallelOptions& options = {});
/// The first two columns. Throws as above; FormatError for a line with other than as many columns
/// as the first, but for empty lines, which are pairs of empty lines.
ParallelText read_parallel_tsv(const std::string& path, const ParallelOptions& options = {});

}  // namespace heed::data
