#include "unpacked_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "../core/error.h"
#include "unpacked_streams.h"

namespace heed::data {
namespace {

// A frame of zstd, or one for others to skip, which may come first.
bool begins_like_zstd(int descriptor) {
  unsigned char magic[4] = {};
  // A pipe has no place to look at, and a directory says what it is when it is read.
  if (::pread(descriptor, magic, sizeof magic, 0) != sizeof magic) return false;
  const bool frame = magic[0] == 0x28 && magic[1] == 0xB5 && magic[2] == 0x2F && magic[3] == 0xFD;
  const bool skipped =
      (magic[0] & 0xF0) == 0x50 && magic[1] == 0x2A && magic[2] == 0x4D && magic[3] == 0x18;
  return frame || skipped;
}

}  // namespace

UnpackedFile::UnpackedFile(std::string path) : path_(std::move(path)) {
  detail::Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) throw IoError(path_, "open", errno);
  stream_ = begins_like_zstd(file.number) ? detail::zstd_stream(path_, std::move(file))
                                          : detail::gzip_stream(path_, std::move(file));
}

UnpackedFile::~UnpackedFile() = default;

std::size_t UnpackedFile::read(char* to, std::size_t count) {
  const std::size_t got = stream_->read(to, count);
  offset_ += got;
  return got;
}

void UnpackedFile::go_to(std::uint64_t offset) {
  stream_->go_to(offset_, offset);
  offset_ = offset;
}

}  // namespace heed::data
