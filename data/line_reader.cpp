#include "line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr std::size_t kMany = 1000;

// What its buffer throws is no error of ours.
int next_byte() {
  try {
    return std::cin.rdbuf()->sbumpc();
  } catch (const std::ios_base::failure& error) {
    throw IoError("standard input", "cannot read", error.code().value());
  }
}

}  // namespace

LineReader::LineReader(const std::string& path)
    : at_once_(path.empty() && ::isatty(STDIN_FILENO) == 1 ? 1 : kMany) {
  std::ios::sync_with_stdio(false);  // else nobody can tell whether more has come
  if (!path.empty()) file_ = std::make_unique<TextFile>(path);
}

bool LineReader::read(std::string& line, std::size_t number) {
  if (file_) return file_->next(line);
  line.clear();
  if (!std::cin.good()) return false;
  // std::getline() would take a line of any length.
  constexpr int kNoMore = std::char_traits<char>::eof();
  int byte = next_byte();
  for (; byte != kNoMore && byte != '\n'; byte = next_byte()) {
    if (line.size() == kLongestLine) {
      throw FormatError::at_line("standard input", number,
                                 fmt::format("a line of more than {} MiB", kLongestLine >> 20));
    }
    line.push_back(static_cast<char>(byte));
  }
  if (byte == kNoMore) std::cin.setstate(std::ios::eofbit);
  if (byte == kNoMore && line.empty()) return false;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

bool LineReader::next(std::vector<std::string>& lines) {
  lines.clear();
  first_ = next_;
  std::string line;
  while (lines.size() < at_once_ && read(line, next_ + lines.size())) {
    lines.push_back(line);
    // What a pipe has not sent yet is not waited for.
    if (!file_ && std::cin.rdbuf()->in_avail() <= 0) break;
  }
  next_ += lines.size();
  return !lines.empty();
}

bool LineReader::next(std::string& line) {
  first_ = next_;
  if (!read(line, next_)) return false;
  ++next_;
  return true;
}

}  // namespace heed::data
