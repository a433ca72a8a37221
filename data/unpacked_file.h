// The bytes of a file: as they are or, where the first ones say so, unpacked from gzip or zstd.
// Reads as it goes: memory holds a buffer and what unpacking looks back on, at most 8 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heed::data {

class UnpackedFile {
 public:
  /// Throws IoError when the file cannot be opened.
  explicit UnpackedFile(std::string path);
  ~UnpackedFile();
  UnpackedFile(const UnpackedFile&) = delete;
  UnpackedFile& operator=(const UnpackedFile&) = delete;

  /// Up to `count` bytes; fewer only at the end. Throws IoError; FormatError where the file is
  /// damaged or cut, or was packed with a window of more than 8 MiB.
  std::size_t read(char* to, std::size_t count);
  /// How many bytes came before the next, counted unpacked.
  std::uint64_t offset() const { return offset_; }
  /// There the next read begins: a plain file is seeked, a packed one unpacked up to there. Behind
  /// the end there is nothing to read. Throws as read().
  void go_to(std::uint64_t offset);
  const std::string& path() const { return path_; }

  struct Stream;

 private:
  std::string path_;
  std::uint64_t offset_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace heed::data
