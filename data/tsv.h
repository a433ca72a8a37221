// Labelled texts as tab-separated columns, one a line, nothing quoted or escaped.
#pragma once

#include <string>
#include <vector>

#include "labelled_text.h"
#include "tsv_columns.h"

namespace heed::data {

class TsvReader : public LabelledTextReader {
 public:
  /// `label` and `text` are column numbers from 1 or, where the first line is a header, names; when
  /// either is a name the first line is taken for a header. An empty `label` reads no labels.
  /// Throws ValueError for column 0 or no text column, FormatError for a name that the header
  /// lacks, and what TextFile throws.
  TsvReader(const std::string& path, const std::string& label, const std::string& text);

  bool next(LabelledText& out) override;
  TextPlace place() const override { return columns_.place(); }
  void go_to(const TextPlace& place) override;

 private:
  TsvColumns columns_;
  std::vector<std::string> row_;
  bool labelled_;
  bool found_any_ = false;
};

}  // namespace heed::data
