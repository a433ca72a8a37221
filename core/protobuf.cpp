#include "protobuf.h"

#include <fmt/format.h>

#include "error.h"

namespace heed {

bool ProtobufMessage::next(ProtobufField& field) {
  if (at_ == bytes_.size()) return false;
  const std::uint64_t key = number();
  field = {.number = key >> 3, .kind = key & 7, .place = place_ + at_};
  switch (field.kind) {
    case 0: field.value = number(); break;
    case 1:
    case 5: {
      const std::string_view own = take(field.kind == 1 ? 8 : 4);
      for (std::size_t i = 0; i < own.size(); ++i)
        field.value |= std::uint64_t{static_cast<unsigned char>(own[i])} << (8 * i);
      break;
    }
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

std::string_view ProtobufMessage::take(std::uint64_t size) {
  const std::size_t left = bytes_.size() - at_;
  if (size > left) fail(fmt::format("a field of {} bytes, of which {} are there", size, left));
  const std::string_view out = bytes_.substr(at_, size);
  at_ += size;
  return out;
}

}  // namespace heed
