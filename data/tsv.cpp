#include "tsv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "utf8.h"

namespace heed::data {
namespace {

std::vector<std::string_view> split_columns(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

bool is_number(std::string_view column) {
  return column.find_first_not_of("0123456789") == std::string_view::npos;
}

// The column number that `column` writes or, looked up in the header, names.
std::size_t find_column(const std::string& path, const std::string& column,
                        const std::vector<std::string_view>& header) {
  if (is_number(column)) {
    std::size_t number = 0;
    const auto read = std::from_chars(column.data(), column.data() + column.size(), number);
    if (read.ec != std::errc{} || number == 0) {
      throw ValueError(
          fmt::format("tsv: column {}: columns are counted from 1", in_quotes(column)));
    }
    return number;
  }
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) {
    throw FormatError::at_line(
        path, 1,
        fmt::format("no column {}; the columns are {}", in_quotes(column), quoted_list(header)));
  }
  return static_cast<std::size_t>(found - header.begin()) + 1;
}

}  // namespace

TsvReader::TsvReader(const std::string& path, const std::string& label, const std::string& text)
    : file_(path) {
  if (text.empty()) throw ValueError("tsv: no column is chosen for the text");
  const bool has_header = !is_number(label) || !is_number(text);
  std::string first;
  std::vector<std::string_view> header;
  if (has_header) {
    if (!file_.next(first)) throw FormatError::at_line(path, 1, "the file is empty");
    first = repair_utf8(first);
    header = split_columns(first);
    columns_ = header.size();
  }
  if (!label.empty()) label_ = find_column(path, label, header);
  text_ = find_column(path, text, header);
}

bool TsvReader::next(LabelledText& out) {
  do {
    if (!file_.next(line_)) {
      if (found_any_) return false;
      throw FormatError::at_line(file_.path(), file_.line() + 1, "the file has no texts");
    }
  } while (line_.empty());

  const auto fail = [this](const std::string& what) {
    throw FormatError::at_line(file_.path(), file_.line(), what);
  };
  const std::vector<std::string_view> columns = split_columns(line_);
  if (columns_ == 0) columns_ = columns.size();
  const std::size_t wanted = std::max(label_, text_);
  if (columns.size() < wanted) {
    fail(fmt::format("{} columns, but column {} is wanted", columns.size(), wanted));
  }
  if (columns.size() != columns_) {
    fail(fmt::format("{} columns, but the first line has {}", columns.size(), columns_));
  }
  if (label_ > 0 && columns[label_ - 1].empty()) fail("no label");
  if (is_blank(columns[text_ - 1])) fail("no text");
  out.label = label_ > 0 ? repair_utf8(columns[label_ - 1]) : std::string();
  out.text = repair_utf8(columns[text_ - 1]);
  out.line = file_.line();
  found_any_ = true;
  return true;
}

}  // namespace heed::data
