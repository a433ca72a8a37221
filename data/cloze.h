// Cloze tests over passages, as the Chinese sets have them (Cui et al. 2016, "Consensus
// Attention-based Neural Networks for Chinese Reading Comprehension"; CMRC 2017): already segmented
// into words, plain or gzip, a line a sentence, the query last:
//
//   1 ||| a hen found a seed .                    1 ||| a hen found a seed .
//   2 ||| nobody helped the hen .                 <qid_0> ||| the XXXXX found it .
//   3 ||| the XXXXX found it . ||| hen            <qid_1> ..
//
// The answer stands behind the query, or in a file of its own, a line "<qid_K> ||| answer" for each
// query in their order.
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

/// Takes the file's lines one after the other. Throws FormatError, with path and line, for a line
/// that is none of the above, sentences not numbered from 1, an answer of several words, more than
/// kLongestCloze words, what is not UTF-8, control characters. Sense is check_cloze()'s matter.
///
/// With `plain` it also takes passages as people write them: lines without bars, the query last, then
/// an empty line or the end.
class ClozeLines {
 public:
  explicit ClozeLines(std::string path, bool plain = false)
      : path_(std::move(path)), plain_(plain) {}

  /// Whether the line, of that number, ended a passage: row() is the whole then.
  bool take(std::string_view line, std::uint64_t number);
  const Cloze& row() const { return row_; }
  /// Whether a plain passage ended here: row() is the whole. Throws for sentences without a query.
  bool finish();

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void take_sentence(std::string_view text);
  void take_query(std::string_view text);
  void take_answer(std::string_view text);

  std::string path_;
  std::uint64_t line_ = 0;
  bool plain_, whole_ = false;
  Index numbered_ = 0, words_ = 0;  // of this passage so far
  Cloze row_;
};

/// Throws FormatError, naming `path` and the row's line, if the query has no word, or not one blank
/// (a question: at most one), if the passage has no word, or not the answer, and for more words than
/// options allow.
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

struct ClozeFile {
  std::vector<Cloze> rows;
  Index left_out = 0;  ///< rows that check_cloze() refuses
};

/// `answers`: the file of answers; empty: they stand behind the queries, or nowhere. With `leave_out`
/// rows that check_cloze() refuses are left out and counted. Throws IoError, FormatError as above,
/// also for a file without rows and for answers to other queries.
ClozeFile read_cloze(const std::string& path, const std::string& answers = "",
                     const ClozeOptions& options = {}, bool leave_out = false);

}  // namespace heed::data
