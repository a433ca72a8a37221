// Labelled texts from a file of a user's: one a line, as tab-separated columns or JSON objects,
// plain, gzip or zstd. Which column or field is the label and which the text is chosen by the
// caller.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "text_file.h"

namespace heed::data {

/// `text` and `label` are valid UTF-8: other bytes have become U+FFFD.
struct LabelledText {
  std::string label;
  std::string text;
  std::uint64_t line = 0;  // where it stands in the file, from 1
};

/// A file being read, one text after another.
class LabelledTextReader {
 public:
  virtual ~LabelledTextReader() = default;
  /// Reads the next text, skipping empty lines; false at the end. Throws FormatError, naming path
  /// and line, for a line that breaks the format or lacks label or text, and for a file without any
  /// text.
  virtual bool next(LabelledText& out) = 0;
  /// Behind the text last read; and going on there, in the same file. Throws as next().
  virtual TextPlace place() const = 0;
  virtual void go_to(const TextPlace& place) = 0;
};

struct LabelledTextOptions {
  std::string format = {};  // "tsv" or "jsonl"; empty: by the file's name
  std::string label = {};   // the column or field; empty: the texts have no labels
  std::string text = {};
};

/// A TsvReader or JsonLinesReader on `path`. Throws ValueError for an unknown format, and what the
/// reader's constructor throws.
std::unique_ptr<LabelledTextReader> open_labelled_text(const std::string& path,
                                                       const LabelledTextOptions& options);

}  // namespace heed::data
