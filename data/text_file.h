// The lines of a text file, plain, gzip or zstd (told apart by the first bytes, not by the name).
// Reads as it goes: memory holds a small buffer, what unpacking looks back on, and one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heed::data {

/// A longer line is an error: more likely a damaged file than a text.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Between two lines: bytes before it, counted unpacked, and lines.
struct TextPlace {
  std::uint64_t offset = 0, line = 0;
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

class TextFile {
 public:
  /// Throws IoError when the file cannot be opened and read (it is missing, a directory, ...),
  /// FormatError when it begins like gzip or zstd and is not.
  explicit TextFile(std::string path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Reads the next line, without "\n" or "\r\n" and, on the first line, without a byte order mark.
  /// False at the end. Throws FormatError (a damaged file, a line above kLongestLine) and IoError.
  bool next(std::string& line);
  /// The number of the line last read, from 1; 0 before the first.
  std::uint64_t line() const { return line_; }
  /// Where the next line begins.
  TextPlace place() const;
  /// Goes on there: a plain file is seeked, a packed one unpacked up to there. Throws as next().
  void go_to(const TextPlace& place);
  const std::string& path() const { return path_; }

 private:
  struct Stream;
  bool fill();

  std::string path_;
  std::uint64_t line_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace heed::data
