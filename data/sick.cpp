#include "sick.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "folder_parts.h"
#include "tsv_columns.h"
#include "utf8.h"

namespace heed::data {
namespace {

std::string table_in(const std::string& path) {
  if (!is_folder(path)) return path;
  for (const char* name : {"SICK.tsv", "SICK.tsv.gz", "SICK.txt"}) {
    const std::string file = (std::filesystem::path(path) / name).string();
    if (is_there(file)) return file;
  }
  throw IoError(path, "open SICK.tsv, SICK.tsv.gz or SICK.txt", ENOENT);
}

class Reader {
 public:
  explicit Reader(const std::string& path)
      : table_(path, {"sentence_A", "sentence_B", "entailment_label", "entailment_AB",
                      "entailment_BA", "SemEval_set"}) {}

  Sick read() {
    Sick out;
    out.path = table_.path();
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
      pair.line = table_.line();
      std::vector<SentencePair>* const parts[] = {&out.train, &out.trial, &out.test};
      parts[word(5, {"TRAIN", "TRIAL", "TEST"})]->push_back(std::move(pair));
    }
    for (const auto& [part, name] :
         {std::pair(&out.train, "TRAIN"), {&out.trial, "TRIAL"}, {&out.test, "TEST"}}) {
      if (part->empty()) {
        throw FormatError(table_.path(), 0, fmt::format("no pair is of the set {}", name));
      }
    }
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

Sick read_sick(const std::string& path) { return Reader(table_in(path)).read(); }

}  // namespace heed::data
