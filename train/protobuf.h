// The wire format of protocol buffers, as much of it as event files need: fields are added in any
// order and are read back by their numbers. Internal to train.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

/// `value` as little-endian bytes.
template <class Unsigned>
std::string little_endian(Unsigned value) {
  std::string out;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
  return out;
}

/// One message; append what it holds, take bytes().
class Protobuf {
 public:
  Protobuf& number(int field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  Protobuf& real(int field, double value) {
    key(field, 1);
    bytes_ += little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Protobuf& real32(int field, float value) {
    key(field, 5);
    bytes_ += little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  /// A string, bytes, or a message in this one.
  Protobuf& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Protobuf& message(int field, const Protobuf& value) { return text(field, value.bytes_); }
  Protobuf& reals(int field, const std::vector<double>& values) {
    std::string packed;
    for (const double value : values) packed += little_endian(std::bit_cast<std::uint64_t>(value));
    return text(field, packed);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned type) { varint(static_cast<std::uint64_t>(field) << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace heed::train
