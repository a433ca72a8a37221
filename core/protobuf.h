// A message of Protocol Buffers, as its fields follow one another in a file: what each means is the reader's matter.
//
//   ProtobufField field;
//   for (ProtobufMessage message(bytes, path); message.next(field);) ..
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

struct ProtobufField {
  std::uint64_t number = 0;
  std::uint64_t kind = 0;       ///< 0: a number; 1 and 5: eight and four bytes; 2: bytes
  std::uint64_t value = 0;      ///< of all but bytes
  std::string_view bytes = {};  ///< of these; also a message
  std::uint64_t place = 0;      ///< of the value, in the file
};

class ProtobufMessage {
 public:
  /// `place`: where the bytes begin in the file. Bytes and the path must live as long.
  ProtobufMessage(std::string_view bytes, const std::string& path, std::uint64_t place = 0)
      : bytes_(bytes), path_(&path), place_(place) {}

  /// False at the end. Throws FormatError for a field that is cut off or of a kind that is not there.
  bool next(ProtobufField& field);
  /// Throws FormatError, which names the field, where it is of another kind.
  void want(const ProtobufField& field, std::uint64_t kind, const char* name) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t number();
  std::string_view take(std::uint64_t size);

  std::string_view bytes_;
  const std::string* path_;
  std::uint64_t place_;
  std::size_t at_ = 0;
};

}  // namespace heed
