#include "external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::onnx {
namespace {

namespace fs = std::filesystem;

std::string read_piece(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw IoError(path, "cannot open", errno);
  std::string out;
  int code = 0;
  try {
    out.resize(length);
  } catch (const std::bad_alloc&) {
    ::close(file);
    throw OutOfMemory(fmt::format("{}: {} bytes do not fit into memory", path, length));
  }
  std::uint64_t filled = 0;
  while (filled < length) {
    const ssize_t count =
        ::pread(file, out.data() + filled, length - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      code = count < 0 ? errno : EIO;
      break;
    }
    filled += static_cast<std::uint64_t>(count);
  }
  ::close(file);
  if (filled < length) throw IoError(path, "cannot read", code);
  return out;
}

}  // namespace

ExternalData::File& ExternalData::file(const std::string& location, std::uint64_t place,
                                       const std::string& what) {
  const auto refuse = [&](const char* why) {
    throw FormatError(path_, place,
                      fmt::format("{} lies in {}, {}", what, in_quotes(location), why));
  };
  const fs::path given(location);
  if (location.empty() || location.find('\0') != std::string::npos || given.is_absolute())
    refuse("which is no file beside the model");
  for (const fs::path& part : given) {
    if (part == "..") refuse("outside of the model's folder");
  }
  std::error_code error;
  fs::path folder = fs::path(path_).parent_path();
  if (folder.empty()) folder = ".";
  folder = fs::canonical(folder, error);
  if (error) throw IoError(path_, "cannot find its folder", error.value());
  const fs::path target = fs::canonical(folder / given, error);
  if (error) refuse("which is not there");
  // Also where a link leads out.
  const fs::path inside = target.lexically_relative(folder);
  if (inside.empty() || *inside.begin() == "..") refuse("outside of the model's folder");
  const auto known = files_.find(target.string());
  if (known != files_.end()) return known->second;
  if (!fs::is_regular_file(target, error)) refuse("which is no file");
  File out{.path = target.string()};
  out.size = fs::file_size(target, error);
  if (error) throw IoError(out.path, "cannot look at", error.value());
  return files_.emplace(target.string(), std::move(out)).first->second;
}

Array ExternalData::read(const ExternalPiece& piece, io::Element element, const Shape& shape,
                         std::uint64_t place, const std::string& what) {
  const std::uint64_t width = io::bytes_of(element);
  const auto count = static_cast<std::uint64_t>(shape.numel());
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, width, &bytes) ||
      (piece.length != 0 && piece.length != bytes)) {
    throw FormatError(path_, place,
                      fmt::format("{}: {} bytes beside the model for {} of {}", what, piece.length,
                                  to_string(shape), io::name(element)));
  }
  File& from = file(piece.location, place, what);
  if (piece.offset > from.size || bytes > from.size - piece.offset) {
    throw FormatError(
        path_, place,
        fmt::format("{} lies in {} at {} to {}, which has {} bytes", what,
                    in_quotes(piece.location), piece.offset, piece.offset + bytes, from.size));
  }
  const auto key = std::make_tuple(from.path, piece.offset, element, to_string(shape));
  const auto known = read_.find(key);
  if (known != read_.end()) return known->second;
  if (bytes > from.size - from.used) {
    throw FormatError(path_, place,
                      fmt::format("{}: tensors overlap in {}", what, in_quotes(piece.location)));
  }
  from.used += bytes;
  const std::string raw = read_piece(from.path, piece.offset, bytes);
  Array out = io::decode_elements(element, shape, raw, {from.path, piece.offset, what});
  read_.emplace(key, out);
  return out;
}

}  // namespace heed::onnx
