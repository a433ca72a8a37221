// Chosen columns of a table: tab-separated lines, plain, gzip or zstd, nothing quoted or escaped.
//
//   data::TsvColumns table("SICK.tsv", {"sentence_A", "sentence_B", "entailment_label"});
//   for (std::vector<std::string> row; table.next(row);) { row[2], table.line() .. }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text_file.h"

namespace heed::data {

/// What stands between the tabs of a line: one more than there are tabs.
std::vector<std::string_view> split_columns(std::string_view line);

class TsvColumns {
 public:
  /// `columns` are numbers from 1 or, where the first line is a header, names; where any is a name
  /// the first line is taken for a header. Throws ValueError for column 0, FormatError for a name
  /// that the header lacks, and what TextFile throws.
  TsvColumns(const std::string& path, const std::vector<std::string>& columns);

  /// The next line's columns, in the order asked for, as valid UTF-8 (other bytes have become
  /// U+FFFD), skipping empty lines; false at the end. Throws FormatError, naming path and line, for
  /// a line with too few columns, or not as many as the first.
  bool next(std::vector<std::string>& row);
  /// Of the row last read, from 1.
  std::uint64_t line() const { return file_.line(); }
  /// Behind the row last read; and going on there, in the same file. Throws as next().
  TextPlace place() const { return file_.place(); }
  void go_to(const TextPlace& place);
  const std::string& path() const { return file_.path(); }

 private:
  TextFile file_;
  std::string line_;
  std::vector<std::size_t> wanted_;  // from 1
  std::size_t columns_ = 0;          // of the first line; all others must have as many
};

}  // namespace heed::data
