// Files of cloze tests, as the Chinese sets have them (Cui et al. 2016, "Consensus Attention-based
// Neural Networks for Chinese Reading Comprehension"; CMRC 2017): already segmented into words,
// plain or gzip, a line a sentence, the query last:
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
#include <utility>
#include <vector>

#include "cloze.h"

namespace heed::data {

/// Takes the file's lines one after the other. Throws FormatError, with path and line, for a line
/// that is none of the above, sentences not numbered from 1, an answer of several words, more than
/// kLongestCloze words, what is not UTF-8, control characters. Sense is check_cloze()'s matter.
///
/// With `plain` it also takes passages as people write them: lines without bars, the query last,
/// then an empty line or the end.
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

  std::string path_;
  std::uint64_t line_ = 0;
  bool plain_, whole_ = false;
  Index numbered_ = 0, words_ = 0;  // of this passage so far
  Cloze row_;
};

struct ClozeFile {
  std::vector<Cloze> rows;
  Index left_out = 0;  ///< rows that check_cloze() refuses
};

/// `answers`: the file of answers; empty: they stand behind the queries, or nowhere. With
/// `leave_out` rows that check_cloze() refuses are left out and counted. Throws IoError,
/// FormatError as above, also for a file without rows and for answers to other queries.
ClozeFile read_cloze(const std::string& path, const std::string& answers = "",
                     const ClozeOptions& options = {}, bool leave_out = false);

}  // namespace heed::data
