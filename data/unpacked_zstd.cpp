#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "../core/error.h"
#include "unpacked_streams.h"

namespace heed::data::detail {
namespace {

// What RFC 8878 asks of every decoder; a header may ask for memory that the file does not need.
constexpr int kWindowLog = 23;

class ZstdStream : public UnpackedFile::Stream {
 public:
  ZstdStream(std::string path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)), buffer_(kPackedBuffer) {
    if (!unpack_) throw OutOfMemory(fmt::format("{}: no memory to open it", path_));
    ZSTD_DCtx_setParameter(unpack_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  std::size_t read(char* to, std::size_t count) override {
    ZSTD_outBuffer out{to, count, 0};
    bool wants_more = false;  // what was given is used up, and nothing comes out any more
    while (out.pos < out.size) {
      if (in_.pos == in_.size && (between_frames_ || wants_more)) {
        if (!fill()) {
          if (!between_frames_) fail("it ends within a frame");
          break;
        }
      }
      if (between_frames_) check_magic();
      const std::size_t in_before = in_.pos, out_before = out.pos;
      const std::size_t hint = ZSTD_decompressStream(unpack_.get(), &out, &in_);
      if (ZSTD_isError(hint) != 0) fail(ZSTD_getErrorCode(hint));
      between_frames_ = hint == 0;
      wants_more = in_.pos == in_before && out.pos == out_before;
    }
    return out.pos;
  }

  void go_to(std::uint64_t from, std::uint64_t to) override {
    if (to < from) {
      if (::lseek(file_.number, 0, SEEK_SET) != 0) throw IoError(path_, "seek", errno);
      ZSTD_DCtx_reset(unpack_.get(), ZSTD_reset_session_only);
      in_ = {};
      read_ = from = 0;
      between_frames_ = true;
    }
    std::vector<char> passed(kPackedBuffer);
    while (from < to) {
      const std::size_t got =
          read(passed.data(),
               static_cast<std::size_t>(std::min<std::uint64_t>(passed.size(), to - from)));
      if (got == 0) return;
      from += got;
    }
  }

 private:
  // More bytes behind those that are left.
  bool fill() {
    const std::size_t left = in_.size - in_.pos;
    if (left > 0) std::memmove(buffer_.data(), buffer_.data() + in_.pos, left);
    ssize_t got = 0;
    do {
      got = ::read(file_.number, buffer_.data() + left, buffer_.size() - left);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw IoError(path_, "read", errno);
    in_ = {buffer_.data(), left + static_cast<std::size_t>(got), 0};
    read_ += static_cast<std::size_t>(got);
    return got > 0;
  }

  // The library may also read frames of before the format was settled, whose window it does not
  // bound.
  void check_magic() {
    std::uint32_t magic = 0;
    while (in_.size - in_.pos < sizeof magic) {
      if (!fill()) fail("it ends within a frame");
    }
    std::memcpy(&magic, buffer_.data() + in_.pos, sizeof magic);
    const bool skippable = (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
    if (magic != ZSTD_MAGICNUMBER && !skippable) fail("no frame of today's format");
  }

  [[noreturn]] void fail(ZSTD_ErrorCode code) const {
    if (code == ZSTD_error_memory_allocation) {
      throw OutOfMemory(fmt::format("{}: no memory to read it", path_));
    }
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      fail(fmt::format("its window is larger than {} MiB: pack it without --ultra and --long",
                       (1 << kWindowLog) >> 20));
    }
    fail(ZSTD_getErrorString(code));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(path_, read_ - (in_.size - in_.pos),
                      fmt::format("damaged zstd file: {}", what));
  }

  std::string path_;
  Descriptor file_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> unpack_{ZSTD_createDCtx(), ZSTD_freeDCtx};
  ZSTD_inBuffer in_{};
  std::uint64_t read_ = 0;
  bool between_frames_ = true;
};

}  // namespace

std::unique_ptr<UnpackedFile::Stream> zstd_stream(const std::string& path, Descriptor file) {
  return std::make_unique<ZstdStream>(path, std::move(file));
}

}  // namespace heed::data::detail
