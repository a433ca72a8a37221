#include "text_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr unsigned kBufferBytes = 1u << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

// zlib's file functions hand plain files through as they are.
struct TextFile::Stream {
  gzFile file = nullptr;
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  std::size_t at = 0;
  std::size_t end = 0;

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (file != nullptr) gzclose_r(file);
  }
};

TextFile::TextFile(std::string path) : path_(std::move(path)), stream_(std::make_unique<Stream>()) {
  errno = 0;
  stream_->file = gzopen(path_.c_str(), "rb");
  if (stream_->file == nullptr) {
    if (errno != 0 && errno != ENOMEM) throw IoError(path_, "open", errno);
    throw OutOfMemory(fmt::format("{}: no memory to open it", path_));
  }
  gzbuffer(stream_->file, kBufferBytes);
  fill();  // now, since a directory opens without complaint and fails only here
}

TextFile::~TextFile() = default;

// Reads the next piece into the buffer; false at the end.
bool TextFile::fill() {
  Stream& s = *stream_;
  errno = 0;
  const int count = gzread(s.file, s.buffer.data(), kBufferBytes);
  const int system_error = errno;
  // A file cut short gives its last bytes without complaint; only gzerror tells.
  int code = Z_OK;
  const char* text = gzerror(s.file, &code);
  if (code == Z_ERRNO) throw IoError(path_, "read", system_error != 0 ? system_error : EIO);
  if (code == Z_MEM_ERROR) throw OutOfMemory(fmt::format("{}: no memory to read it", path_));
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    // zlib's text repeats the path before what is wrong.
    const std::string_view message = text;
    const std::size_t colon = message.rfind(": ");
    const std::string_view what =
        colon == std::string_view::npos ? message : message.substr(colon + 2);
    throw FormatError(path_, static_cast<std::uint64_t>(gzoffset(s.file)),
                      fmt::format("damaged gzip file: {}", what));
  }
  s.at = 0;
  s.end = static_cast<std::size_t>(count);
  return count > 0;
}

bool TextFile::next(std::string& line) {
  Stream& s = *stream_;
  line.clear();
  if (s.at == s.end && !fill()) return false;
  ++line_;
  for (;;) {
    const char* from = s.buffer.data() + s.at;
    const void* found = std::memchr(from, '\n', s.end - s.at);
    const std::size_t length =
        found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - from)
                         : s.end - s.at;
    if (line.size() + length > kLongestLine) {
      throw FormatError::at_line(path_, line_,
                                 fmt::format("a line of more than {} MiB", kLongestLine >> 20));
    }
    line.append(from, length);
    s.at += length + (found != nullptr ? 1 : 0);
    if (found != nullptr || !fill()) break;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

}  // namespace heed::data
