// A file that grows at its end, as logs do. What was appended is there at once, for readers and
// after a crash of this program; what could not be written whole is taken back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::io {

class AppendFile {
 public:
  /// Opens it, or creates it and the folders above it. Throws IoError.
  explicit AppendFile(const std::string& path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Whole, or IoError and not at all.
  void append(std::string_view bytes);
  /// Takes so many bytes off its end; none where it has fewer, or is a pipe. Throws IoError.
  void take_back(std::size_t bytes);
  /// Opens what is at the path now: after the file was replaced. Throws IoError.
  void reopen();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace heed::io
