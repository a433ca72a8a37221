#include "line_reader.h"

#include <unistd.h>

#include <iostream>

namespace heed::data {
namespace {

constexpr std::size_t kMany = 1000;

}  // namespace

LineReader::LineReader(const std::string& path)
    : at_once_(path.empty() && ::isatty(STDIN_FILENO) == 1 ? 1 : kMany) {
  std::ios::sync_with_stdio(false);  // else nobody can tell whether more has come
  if (!path.empty()) file_ = std::make_unique<TextFile>(path);
}

bool LineReader::read(std::string& line) {
  if (file_) return file_->next(line);
  if (!std::getline(std::cin, line)) return false;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

bool LineReader::next(std::vector<std::string>& lines) {
  lines.clear();
  first_ = next_;
  std::string line;
  while (lines.size() < at_once_ && read(line)) {
    lines.push_back(line);
    // What a pipe has not sent yet is not waited for.
    if (!file_ && std::cin.rdbuf()->in_avail() <= 0) break;
  }
  next_ += lines.size();
  return !lines.empty();
}

}  // namespace heed::data
