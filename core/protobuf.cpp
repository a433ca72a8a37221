#include "protobuf.h"

#include <fmt/format.h>

#include <bit>

#include "error.h"

namespace heed {

bool ProtobufMessage::next(ProtobufField& field) {
  if (at_ == bytes_.size()) return false;
  const std::uint64_t key = number();
  field = {.number = key >> 3, .kind = key & 7, .place = place_ + at_};
  switch (field.kind) {
    case 0: field.value = number(); break;
    case 1:
    case 5: field.value = fixed(field.kind == 1 ? 8 : 4); break;
    case 2: {
      const std::uint64_t size = number();
      field.place = place_ + at_;
      field.bytes = take(size);
      break;
    }
    default: fail(fmt::format("a field of kind {}", field.kind));
  }
  return true;
}

void ProtobufMessage::want(const ProtobufField& field, std::uint64_t kind, const char* name) const {
  if (field.kind == kind) return;
  throw FormatError(*path_, field.place,
                    fmt::format("{} is a field of kind {}, not {}", name, field.kind, kind));
}

bool ProtobufMessage::next_packed(std::uint64_t kind, std::uint64_t& value) {
  if (at_ == bytes_.size()) return false;
  value = kind == 0 ? number() : fixed(kind == 1 ? 8 : 4);
  return true;
}

void ProtobufMessage::fail(const std::string& what) const {
  throw FormatError(*path_, place_ + at_, what);
}

std::uint64_t ProtobufMessage::number() {
  std::uint64_t out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) fail("ends within a number");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    out |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return out;
  }
  fail("a number of more than 64 bits");
}

std::uint64_t ProtobufMessage::fixed(std::uint64_t size) {
  const std::string_view own = take(size);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < own.size(); ++i)
    out |= std::uint64_t{static_cast<unsigned char>(own[i])} << (8 * i);
  return out;
}

std::string_view ProtobufMessage::take(std::uint64_t size) {
  const std::size_t left = bytes_.size() - at_;
  if (size > left) fail(fmt::format("a field of {} bytes, of which {} are there", size, left));
  const std::string_view out = bytes_.substr(at_, size);
  at_ += size;
  return out;
}

void ProtobufWriter::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(0x80 | (value & 0x7F));
  bytes_ += static_cast<char>(value);
}

void ProtobufWriter::key(std::uint64_t field, std::uint64_t kind) { put(field << 3 | kind); }

void ProtobufWriter::number(std::uint64_t field, std::uint64_t value) {
  key(field, 0);
  put(value);
}

void ProtobufWriter::floating(std::uint64_t field, float value) {
  key(field, 5);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xFF);
}

void ProtobufWriter::text(std::uint64_t field, std::string_view bytes) {
  key(field, 2);
  put(bytes.size());
  bytes_ += bytes;
}

char* ProtobufWriter::room(std::uint64_t field, std::size_t size) {
  key(field, 2);
  put(size);
  bytes_.resize(bytes_.size() + size);
  return bytes_.data() + bytes_.size() - size;
}

void ProtobufWriter::put_size_before(std::size_t begin) {
  ProtobufWriter size;
  size.put(bytes_.size() - begin);
  bytes_.insert(begin, size.bytes_);
}

}  // namespace heed
