#include "tsv_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "utf8.h"

namespace heed::data {
namespace {

bool is_number(std::string_view column) {
  return column.find_first_not_of("0123456789") == std::string_view::npos;
}

// The column number that `column` writes or, looked up in the header, names.
std::size_t find_column(const std::string& path, const std::string& column,
                        const std::vector<std::string_view>& header) {
  if (is_number(column)) {
    const auto number = number_in<std::size_t>(column).value_or(0);
    if (number == 0) {
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

std::vector<std::string_view> split_columns(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

TsvColumns::TsvColumns(const std::string& path, const std::vector<std::string>& columns)
    : file_(path) {
  std::string first;
  std::vector<std::string_view> header;
  if (!std::all_of(columns.begin(), columns.end(), is_number)) {
    if (!file_.next(first)) throw FormatError::at_line(path, 1, "the file is empty");
    first = repair_utf8(first);
    header = split_columns(first);
    columns_ = header.size();
  }
  for (const std::string& column : columns) wanted_.push_back(find_column(path, column, header));
}

bool TsvColumns::next(std::vector<std::string>& row) {
  do {
    if (!file_.next(line_)) return false;
  } while (line_.empty());

  const auto fail = [this](const std::string& what) {
    throw FormatError::at_line(path(), line(), what);
  };
  const std::vector<std::string_view> columns = split_columns(line_);
  if (columns_ == 0) columns_ = columns.size();
  for (const std::size_t wanted : wanted_) {
    if (columns.size() < wanted) {
      fail(fmt::format("{} columns, but column {} is wanted", columns.size(),
                       *std::max_element(wanted_.begin(), wanted_.end())));
    }
  }
  if (columns.size() != columns_) {
    fail(fmt::format("{} columns, but the first line has {}", columns.size(), columns_));
  }
  row.clear();
  for (const std::size_t wanted : wanted_) row.push_back(repair_utf8(columns[wanted - 1]));
  return true;
}

void TsvColumns::go_to(const TextPlace& place) {
  if (columns_ == 0 && place.line > 0) {  // as the first line has
    std::vector<std::string> first;
    next(first);
  }
  file_.go_to(place);
}

}  // namespace heed::data
