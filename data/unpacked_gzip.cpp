#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string_view>

#include "../core/error.h"
#include "unpacked_streams.h"

namespace heed::data::detail {
namespace {

// zlib's file functions hand plain files through as they are.
class GzipStream : public UnpackedFile::Stream {
 public:
  GzipStream(std::string path, Descriptor file) : path_(std::move(path)) {
    file_ = gzdopen(file.number, "rb");
    if (file_ == nullptr) throw OutOfMemory(fmt::format("{}: no memory to open it", path_));
    file.number = -1;  // which zlib closes
    gzbuffer(file_, kPackedBuffer);
  }
  ~GzipStream() override { gzclose_r(file_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    errno = 0;
    const int got = gzread(file_, to, static_cast<unsigned>(std::min(count, kMost)));
    check(got < 0);
    return static_cast<std::size_t>(got);
  }

  void go_to(std::uint64_t, std::uint64_t to) override {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<z_off_t>::max());
    errno = 0;
    check(gzseek(file_, static_cast<z_off_t>(std::min(to, kMost)), SEEK_SET) < 0);
  }

 private:
  // A file cut short gives its last bytes without complaint; only gzerror tells.
  void check(bool failed) {
    const int system_error = errno;
    int code = Z_OK;
    const std::string_view message = gzerror(file_, &code);
    if (code == Z_ERRNO) throw IoError(path_, "read", system_error != 0 ? system_error : EIO);
    if (code == Z_MEM_ERROR) throw OutOfMemory(fmt::format("{}: no memory to read it", path_));
    if (failed || (code != Z_OK && code != Z_STREAM_END)) {
      // zlib's text repeats the file before what is wrong.
      const std::size_t colon = message.rfind(": ");
      const std::string_view what =
          colon == std::string_view::npos ? message : message.substr(colon + 2);
      throw FormatError(path_, static_cast<std::uint64_t>(gzoffset(file_)),
                        fmt::format("damaged gzip file: {}", what));
    }
  }

  std::string path_;
  gzFile file_ = nullptr;
};

}  // namespace

std::unique_ptr<UnpackedFile::Stream> gzip_stream(const std::string& path, Descriptor file) {
  return std::make_unique<GzipStream>(path, std::move(file));
}

}  // namespace heed::data::detail
