#include "csv_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "../core/error.h"
#include "../io/file.h"
#include "../io/read_only.h"
#include "csv_record.h"
#include "kept_rows.h"

namespace heed::train {
namespace {

std::string line_of(const StepRow& row, const std::vector<std::string>& columns) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < columns.size(); ++i) places.emplace(columns[i], i + 1);
  CsvRecord fields{std::to_string(row.step)};
  fields.resize(columns.size() + 1);
  for (const auto& [name, text] : row.fields) fields[places.at(name)] = text;
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
  CsvRecord header = columns;
  header.insert(header.begin(), "step");
  std::string content = line_of_fields(header);
  if (!fresh_) {
    std::string before = io::read_file(file_.path());
    before.resize(before.size() - std::min(before.size(), row_.written));
    std::size_t at = 0;
    next_record(before, at);
    while (std::optional<CsvRecord> record = next_record(before, at)) {
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
  std::unordered_set<std::string_view> known(columns_.begin(), columns_.end());
  for (const auto& field : row_.fields) {
    if (known.insert(field.first).second) columns.push_back(field.first);
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
  std::optional<KeptRows> kept = kept_csv_rows(io::read_file(path), path, step);
  if (!kept) return;  // nothing was logged: as a new one
  io::write_file_atomically(path, kept->content);
  file_.reopen();
  row_ = std::move(kept->last);
  columns_ = std::move(kept->columns);
  fresh_ = false;
}

}  // namespace heed::train
