// A cloze test: a passage and a query of its words, one of which is a blank to be filled in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

inline constexpr const char* kBlank = "XXXXX";
inline constexpr Index kLongestCloze = 5000;  ///< words of a passage at most, whatever options say

struct Cloze {
  std::vector<std::vector<std::string>> passage;  ///< words of its sentences
  std::vector<std::string> query;                 ///< kBlank among them, but for a question
  std::string answer;                             ///< a word of the passage; empty: not given
  std::uint64_t line = 0;                         ///< of the query in the file, from 1
  Index id = -1;                                  ///< K of its <qid_K>, if it has one
};

struct ClozeOptions {
  bool questions = false;            ///< a query may have no blank: "who found it ?"
  Index passage = 500, query = 100;  ///< words of the longest
};

/// Throws FormatError, naming `path` and the row's line, if the query has no word, or not one blank
/// (a question: at most one), if the passage has no word but blanks, or not the answer, and for
/// more words than options allow.
void check_cloze(const Cloze& row, const std::string& path, const ClozeOptions& options = {});

/// All words of the passage; and in their order, each once; and how many there are.
std::vector<std::string> passage_words(const Cloze& row);
std::vector<std::string> different_words(const Cloze& row);
Index passage_length(const Cloze& row);

/// A baseline: the passage's most frequent word of two or more characters that the query lacks, the
/// first of several; empty where there is none.
std::string most_frequent_word(const Cloze& row);

/// The words of a line: separated by blanks, also wide ones; a blank to fill in stands by itself,
/// whatever it is written on to.
std::vector<std::string> cloze_words(std::string_view text);

}  // namespace heed::data
