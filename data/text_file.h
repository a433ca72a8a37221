// The lines of a text file, plain or gzip (told apart by the first bytes, not by the name). Reads
// as it goes: memory holds a small buffer and one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heed::data {

/// A longer line is an error: more likely a damaged file than a text.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

class TextFile {
 public:
  /// Throws IoError when the file cannot be opened and read (it is missing, a directory, ...),
  /// FormatError when it begins like gzip and is not.
  explicit TextFile(std::string path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Reads the next line, without "\n" or "\r\n" and, on the first line, without a byte order mark.
  /// False at the end. Throws FormatError (damaged gzip, a line above kLongestLine) and IoError.
  bool next(std::string& line);
  /// The number of the line last read, from 1; 0 before the first.
  std::uint64_t line() const { return line_; }
  const std::string& path() const { return path_; }

 private:
  struct Stream;
  bool fill();

  std::string path_;
  std::uint64_t line_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace heed::data
