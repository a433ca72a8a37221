// A message of Protocol Buffers, as its fields follow one another in a file: what each means is the
// reader's and the writer's matter.
//
//   ProtobufField field;
//   for (ProtobufMessage message(bytes, path); message.next(field);) ..
//
//   ProtobufWriter out;
//   out.number(1, 8);
//   out.message(7, [&] { out.text(2, "main"); });
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

  /// False at the end. Throws FormatError for a field that is cut off or of a kind that is not
  /// there.
  bool next(ProtobufField& field);
  /// Throws FormatError, which names the field, where it is of another kind.
  void want(const ProtobufField& field, std::uint64_t kind, const char* name) const;
  /// The next number of a list that is packed into a field of bytes, of kind 0, 1 or 5: false at
  /// the end.
  bool next_packed(std::uint64_t kind, std::uint64_t& value);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t number();
  std::uint64_t fixed(std::uint64_t size);
  std::string_view take(std::uint64_t size);

  std::string_view bytes_;
  const std::string* path_;
  std::uint64_t place_;
  std::size_t at_ = 0;
};

class ProtobufWriter {
 public:
  void number(std::uint64_t field, std::uint64_t value);
  void floating(std::uint64_t field, float value);
  void text(std::uint64_t field, std::string_view bytes);
  /// A message, whose fields `write()` adds.
  template <class Write>
  void message(std::uint64_t field, const Write& write) {
    key(field, 2);
    const std::size_t begin = bytes_.size();
    write();
    put_size_before(begin);
  }
  /// A field of `size` bytes, which the caller fills before anything else is written.
  char* room(std::uint64_t field, std::size_t size);

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void key(std::uint64_t field, std::uint64_t kind);
  void put(std::uint64_t value);
  void put_size_before(std::size_t begin);

  std::string bytes_;
};

}  // namespace heed
