// Lines as they come: from a terminal each at once, from a file many together, which is faster. One
// above kLongestLine (text_file.h) is an error, on standard input as in a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text_file.h"

namespace heed::data {

class LineReader {
 public:
  /// Of a file, plain, gzip or zstd; an empty path: standard input. Throws IoError, FormatError.
  explicit LineReader(const std::string& path);

  /// The next lines, at least one; false at the end. Throws FormatError, of "standard input" where
  /// it is that, and IoError.
  bool next(std::vector<std::string>& lines);
  /// The next line.
  bool next(std::string& line);
  /// Number of the first of them, from 1.
  std::size_t first() const { return first_; }

 private:
  bool read(std::string& line, std::size_t number);

  std::unique_ptr<TextFile> file_;  // null: standard input
  std::size_t at_once_;
  std::size_t first_ = 1, next_ = 1;
};

}  // namespace heed::data
