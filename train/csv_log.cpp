#include "csv_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../io/file.h"
#include "../io/read_only.h"

namespace heed::train {
namespace {

using Record = std::vector<std::string>;

std::string quoted_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// The record that begins at `at`, which then stands behind its line; nothing where the last line
// was cut short.
std::optional<Record> next_record(const std::string& text, std::size_t& at) {
  Record record(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        record.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        record.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
    } else if (c == '\n') {
      ++at;
      return record;
    } else {
      record.back() += c;
    }
  }
  return std::nullopt;
}

std::string line_of_fields(const Record& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted_field(fields[i]);
  }
  out += '\n';
  return out;
}

std::string line_of(const StepRow& row, const std::vector<std::string>& columns) {
  Record fields{std::to_string(row.step)};
  fields.resize(columns.size() + 1);
  for (const auto& [name, text] : row.fields) {
    const auto column = std::find(columns.begin(), columns.end(), name) - columns.begin();
    fields[static_cast<std::size_t>(column) + 1] = text;
  }
  return line_of_fields(fields);
}

}  // namespace

CsvLog::CsvLog(const std::string& path) : file_(path) {}

CsvLog::~CsvLog() {
  try {
    flush();
  } catch (const std::exception&) {
    // Nobody is there to hear of it.
  }
}

void CsvLog::rewrite(std::vector<std::string> columns, const std::string& line) {
  Record header = columns;
  header.insert(header.begin(), "step");
  std::string content = line_of_fields(header);
  if (!fresh_) {
    std::string before = io::read_file(file_.path());
    before.resize(before.size() - std::min(before.size(), row_.written));
    std::size_t at = 0;
    next_record(before, at);
    while (std::optional<Record> record = next_record(before, at)) {
      record->resize(header.size());
      content += line_of_fields(*record);
    }
  }
  io::write_file_atomically(file_.path(), content + line);
  row_.written = line.size();  // also where the file cannot be opened, and is rewritten once more
  file_.reopen();
  columns_ = std::move(columns);  // what the file has now
  fresh_ = false;
}

void CsvLog::write_scalar(std::int64_t step, const std::string& name, double value) {
  if (name == "step") throw ValueError("csv log: a figure cannot be called \"step\"");
  if (io::read_only()) return;
  if (step != row_.step) {
    flush();
    row_ = {.step = step, .fields = {}};
  }
  row_.set(name, std::isnan(value) ? "nan" : fmt::format("{}", value));  // whatever its sign bit
}

void CsvLog::flush() {
  if (!row_.waits || io::read_only()) return;
  std::vector<std::string> columns = columns_;
  for (const auto& field : row_.fields) {
    if (std::find(columns.begin(), columns.end(), field.first) == columns.end()) {
      columns.push_back(field.first);
    }
  }
  const std::string line = line_of(row_, columns);
  if (fresh_ || columns.size() != columns_.size()) {
    rewrite(std::move(columns), line);
  } else {
    file_.take_back(row_.written);
    row_.written = 0;
    file_.append(line);
    row_.written = line.size();
  }
  row_.waits = false;
}

void CsvLog::go_on_after(std::int64_t step) {
  if (io::read_only()) return;
  const std::string& path = file_.path();
  const std::string before = io::read_file(path);
  std::size_t at = 0;
  const std::optional<Record> header = next_record(before, at);
  if (!header) return;  // nothing was logged: as a new one
  if (header->front() != "step") throw FormatError::at_line(path, 1, "the first column is no step");
  std::string content = line_of_fields(*header);
  std::uint64_t line = 1;
  while (const std::optional<Record> record = next_record(before, at)) {
    ++line;
    const auto of = number_in<std::int64_t>(record->front());
    if (!of || record->size() != header->size()) {
      throw FormatError::at_line(path, line, "no row of this log");
    }
    if (*of > step) continue;
    const std::string kept = line_of_fields(*record);
    content += kept;
    row_ = {.step = *of, .fields = {}, .written = kept.size()};  // more may come of the last one
    for (std::size_t i = 1; i < record->size(); ++i) {
      if (!(*record)[i].empty()) row_.fields.emplace_back((*header)[i], (*record)[i]);
    }
  }
  io::write_file_atomically(path, content);
  file_.reopen();
  columns_.assign(header->begin() + 1, header->end());
  fresh_ = false;
}

}  // namespace heed::train
