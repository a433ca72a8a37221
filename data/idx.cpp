#include "idx.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// zlib's file functions hand plain files through as they are.
class Unpacked {
 public:
  explicit Unpacked(const std::string& path) : path_(path) {
    errno = 0;
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr && errno != 0 && errno != ENOMEM) throw IoError(path, "open", errno);
    if (file_ == nullptr) throw OutOfMemory(fmt::format("{}: no memory to open it", path));
  }
  ~Unpacked() { gzclose_r(file_); }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  /// Up to `count` bytes; fewer only at the end.
  std::size_t read(std::uint8_t* to, std::size_t count) {
    errno = 0;
    const int got = gzread(file_, to, static_cast<unsigned>(count));
    const int system_error = errno;
    // A file cut short gives its last bytes without complaint; only gzerror tells.
    int code = Z_OK;
    const std::string_view message = gzerror(file_, &code);
    if (code == Z_ERRNO) throw IoError(path_, "read", system_error != 0 ? system_error : EIO);
    if (code == Z_MEM_ERROR) throw OutOfMemory(fmt::format("{}: no memory to read it", path_));
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      // zlib's text repeats the path before what is wrong.
      const std::size_t colon = message.rfind(": ");
      fail(fmt::format("damaged gzip file: {}",
                       colon == std::string_view::npos ? message : message.substr(colon + 2)));
    }
    place_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

  [[noreturn]] void fail(const std::string& what) const { throw FormatError(path_, place_, what); }

 private:
  const std::string& path_;
  gzFile file_ = nullptr;
  std::uint64_t place_ = 0;
};

Shape read_header(Unpacked& file) {
  std::uint8_t start[4];
  if (file.read(start, 4) < 4) file.fail("idx: the file ends within its first 4 bytes");
  if (start[0] != 0 || start[1] != 0) {
    file.fail(fmt::format("idx: begins with {:#04x} {:#04x}, not with two zero bytes", start[0],
                          start[1]));
  }
  if (start[2] != kUnsignedByte) {
    file.fail(fmt::format("idx: elements of type {:#04x}, not of 0x08, unsigned bytes", start[2]));
  }
  if (start[3] < 1 || start[3] > kMaxRank) {
    file.fail(fmt::format("idx: {} axes, not 1 to {}", start[3], kMaxRank));
  }
  Shape shape;
  for (int axis = 0; axis < start[3]; ++axis) {
    std::uint8_t b[4];
    if (file.read(b, 4) < 4) file.fail("idx: the file ends within its sizes");
    shape.push_back((Index{b[0]} << 24) | (Index{b[1]} << 16) | (Index{b[2]} << 8) | Index{b[3]});
  }
  return shape;
}

}  // namespace

IdxFile read_idx(const std::string& path) {
  Unpacked file(path);
  IdxFile out;
  out.shape = read_header(file);
  std::size_t wanted = 0;
  try {
    wanted = static_cast<std::size_t>(out.shape.numel());
  } catch (const ShapeError&) {
    file.fail(fmt::format("idx: sizes {} have no product in 64 bits", to_string(out.shape)));
  }
  // The header is not believed: memory grows with what arrives.
  while (out.bytes.size() < wanted) {
    const std::size_t have = out.bytes.size();
    const std::size_t piece = std::min(kPieceBytes, wanted - have);
    out.bytes.resize(have + piece);
    const std::size_t got = file.read(out.bytes.data() + have, piece);
    if (got < piece) {
      file.fail(fmt::format("idx: the file ends after {} of {} elements", have + got, wanted));
    }
  }
  std::uint8_t more = 0;
  if (file.read(&more, 1) > 0) {
    file.fail(fmt::format("idx: the file goes on after its {} elements", wanted));
  }
  out.bytes.shrink_to_fit();
  return out;
}

}  // namespace heed::data
