#include "parallel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "../core/error.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

void check(const ParallelOptions& options) {
  if (options.max_words < 0) {
    throw ValueError(
        fmt::format("parallel text: max_words is {}; needs at least 0", options.max_words));
  }
  const double ratio = options.max_ratio;
  if (ratio != 0.0 && !(std::isfinite(ratio) && ratio >= 1.0)) {
    throw ValueError(fmt::format("parallel text: max_ratio is {}; needs 0 or at least 1", ratio));
  }
}

// Keeps the pair, or counts why not.
void add(std::string_view source, std::string_view target, std::uint64_t line,
         const ParallelOptions& options, ParallelText& to) {
  const Index a = words_in(source), b = words_in(target);
  const Index fewer = std::min(a, b), more = std::max(a, b);
  if (options.skip_empty && fewer == 0) {
    ++to.empty;
  } else if (options.max_words > 0 && more > options.max_words) {
    ++to.too_long;
  } else if (options.max_ratio > 0.0 &&
             static_cast<double>(more) > options.max_ratio * static_cast<double>(fewer)) {
    ++to.unequal;
  } else {
    if (!is_valid_utf8(source) || !is_valid_utf8(target)) ++to.repaired;
    to.source.push_back(repair_utf8(source));
    to.target.push_back(repair_utf8(target));
    to.lines.push_back(line);
  }
}

[[noreturn]] void fail_uneven(const TextFile& shorter, TextFile& longer) {
  for (std::string line; longer.next(line);) {
  }
  throw FormatError::at_line(
      shorter.path(), shorter.line() + 1,
      fmt::format("the file ends after {} lines, but {} has {}; the same line of both is a pair",
                  shorter.line(), longer.path(), longer.line()));
}

[[noreturn]] void fail_empty(const std::string& path) {
  throw FormatError::at_line(path, 1, "the file is empty");
}

}  // namespace

Index words_in(std::string_view line) {
  Index words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const Decoded c = decode_utf8(line, at);
    const CharClass kind = classify(c.code);
    const bool goes_on = kind != CharClass::space && kind != CharClass::alone;
    if (kind == CharClass::alone || (goes_on && !inside)) ++words;
    inside = goes_on;
    at += c.length;
  }
  return words;
}

ParallelText read_parallel(const std::string& source_path, const std::string& target_path,
                           const ParallelOptions& options) {
  check(options);
  TextFile source(source_path), target(target_path);
  ParallelText text;
  for (std::string a, b;;) {
    const bool more_source = source.next(a), more_target = target.next(b);
    if (more_source && !more_target) fail_uneven(target, source);
    if (more_target && !more_source) fail_uneven(source, target);
    if (!more_source) break;
    add(a, b, source.line(), options, text);
  }
  if (source.line() == 0) fail_empty(source_path);
  return text;
}

ParallelText read_parallel_tsv(const std::string& path, const ParallelOptions& options) {
  check(options);
  TextFile file(path);
  ParallelText text;
  std::ptrdiff_t tabs = 0;  // of the first line that is not empty
  for (std::string line; file.next(line);) {
    if (line.empty()) {
      add({}, {}, file.line(), options, text);
      continue;
    }
    const std::ptrdiff_t found = std::count(line.begin(), line.end(), '\t');
    if (tabs == 0) tabs = found;
    if (found == 0) {
      throw FormatError::at_line(path, file.line(), "1 column; needs source and target");
    }
    if (found != tabs) {
      throw FormatError::at_line(
          path, file.line(),
          fmt::format("{} columns, but the first line has {}", found + 1, tabs + 1));
    }
    const std::string_view whole = line;
    const std::size_t first = whole.find('\t');
    const std::string_view rest = whole.substr(first + 1);
    add(whole.substr(0, first), rest.substr(0, rest.find('\t')), file.line(), options, text);
  }
  if (file.line() == 0) fail_empty(path);
  return text;
}

void append(ParallelText& text, ParallelText more) {
  const auto move = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move(more.source, text.source);
  move(more.target, text.target);
  move(more.lines, text.lines);
  text.empty += more.empty;
  text.too_long += more.too_long;
  text.unequal += more.unequal;
  text.repaired += more.repaired;
}

std::string left_out(const ParallelText& text) {
  std::string out;
  const auto count = [&out](Index pairs, const char* why) {
    if (pairs > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", pairs, why);
  };
  count(text.empty, "empty");
  count(text.too_long, "too long");
  count(text.unequal, "of unequal lengths");
  return out;
}

}  // namespace heed::data
