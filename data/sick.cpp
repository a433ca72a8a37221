#include "sick.h"

#include <fmt/format.h>

#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "tsv_columns.h"
#include "utf8.h"

namespace heed::data {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path)
      : table_(path, {"sentence_A", "sentence_B", "entailment_label", "entailment_AB",
                      "entailment_BA", "SemEval_set"}) {}

  Sick read() {
    Sick out;
    while (table_.next(row_)) {
      SentencePair pair{row_[0], row_[1]};
      if (is_blank(pair.premise)) fail("sentence_A has no text");
      if (is_blank(pair.hypothesis)) fail("sentence_B has no text");
      pair.relation = relation(2, {"ENTAILMENT", "NEUTRAL", "CONTRADICTION"});
      const Relation there = relation(3, {"A_entails_B", "A_neutral_B", "A_contradicts_B"});
      pair.back = relation(4, {"B_entails_A", "B_neutral_A", "B_contradicts_A"});
      // A contradiction is one from both sides.
      if (pair.back == Relation::contradiction && there != Relation::contradiction) {
        pair.back = Relation::neutral;
      }
      std::vector<SentencePair>* const parts[] = {&out.train, &out.trial, &out.test};
      parts[word(5, {"TRAIN", "TRIAL", "TEST"})]->push_back(std::move(pair));
    }
    if (out.train.empty()) throw FormatError(table_.path(), 0, "no pair is of the set TRAIN");
    return out;
  }

 private:
  using Words = std::vector<std::string_view>;

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError::at_line(table_.path(), table_.line(), what);
  }
  std::size_t word(std::size_t column, const Words& words) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (row_[column] == words[i]) return i;
    }
    fail(fmt::format("{} is none of {}", in_quotes(row_[column]), quoted_list(words)));
  }
  Relation relation(std::size_t column, const Words& words) const {
    return static_cast<Relation>(word(column, words));
  }

  TsvColumns table_;
  std::vector<std::string> row_;
};

}  // namespace

Sick read_sick(const std::string& path) { return Reader(path).read(); }

}  // namespace heed::data
