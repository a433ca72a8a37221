#include "idx.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "unpacked_file.h"

namespace heed::data {
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

[[noreturn]] void fail(const UnpackedFile& file, const std::string& what) {
  throw FormatError(file.path(), file.offset(), what);
}

// All of them, but at the end.
std::size_t read(UnpackedFile& file, std::uint8_t* to, std::size_t count) {
  return file.read(reinterpret_cast<char*>(to), count);
}

Shape read_header(UnpackedFile& file) {
  std::uint8_t start[4];
  if (read(file, start, 4) < 4) fail(file, "idx: the file ends within its first 4 bytes");
  if (start[0] != 0 || start[1] != 0) {
    fail(file, fmt::format("idx: begins with {:#04x} {:#04x}, not with two zero bytes", start[0],
                           start[1]));
  }
  if (start[2] != kUnsignedByte) {
    fail(file, fmt::format("idx: elements of type {:#04x}, not of 0x08, unsigned bytes", start[2]));
  }
  if (start[3] < 1 || start[3] > kMaxRank) {
    fail(file, fmt::format("idx: {} axes, not 1 to {}", start[3], kMaxRank));
  }
  Shape shape;
  for (int axis = 0; axis < start[3]; ++axis) {
    std::uint8_t b[4];
    if (read(file, b, 4) < 4) fail(file, "idx: the file ends within its sizes");
    shape.push_back((Index{b[0]} << 24) | (Index{b[1]} << 16) | (Index{b[2]} << 8) | Index{b[3]});
  }
  return shape;
}

}  // namespace

IdxFile read_idx(const std::string& path) {
  UnpackedFile file(path);
  IdxFile out;
  out.shape = read_header(file);
  std::size_t wanted = 0;
  try {
    wanted = static_cast<std::size_t>(out.shape.numel());
  } catch (const ShapeError&) {
    fail(file, fmt::format("idx: sizes {} have no product in 64 bits", to_string(out.shape)));
  }
  // The header is not believed: memory grows with what arrives.
  while (out.bytes.size() < wanted) {
    const std::size_t have = out.bytes.size();
    const std::size_t piece = std::min(kPieceBytes, wanted - have);
    out.bytes.resize(have + piece);
    const std::size_t got = read(file, out.bytes.data() + have, piece);
    if (got < piece) {
      fail(file, fmt::format("idx: the file ends after {} of {} elements", have + got, wanted));
    }
  }
  std::uint8_t more = 0;
  if (read(file, &more, 1) > 0) {
    fail(file, fmt::format("idx: the file goes on after its {} elements", wanted));
  }
  out.bytes.shrink_to_fit();
  return out;
}

}  // namespace heed::data
