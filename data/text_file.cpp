#include "text_file.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "unpacked_file.h"

namespace heed::data {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct TextFile::Stream {
  UnpackedFile file;
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  std::size_t at = 0;
  std::size_t end = 0;
};

TextFile::TextFile(std::string path)
    : path_(std::move(path)), stream_(new Stream{UnpackedFile(path_)}) {
  fill();  // now, since a directory opens without complaint and fails only here
}

TextFile::~TextFile() = default;

// Reads the next piece into the buffer; false at the end.
bool TextFile::fill() {
  Stream& s = *stream_;
  s.at = s.end = 0;
  s.end = s.file.read(s.buffer.data(), kBufferBytes);
  return s.end > 0;
}

TextPlace TextFile::place() const {
  return {stream_->file.offset() - (stream_->end - stream_->at), line_};
}

void TextFile::go_to(const TextPlace& place) {
  stream_->at = stream_->end = 0;
  stream_->file.go_to(place.offset);
  line_ = place.line;
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
