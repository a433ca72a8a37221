#include "kept_rows.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/number_in.h"
#include "csv_record.h"

namespace heed::train {
namespace {

class JsonRow final : public JsonEvents {
 public:
  explicit JsonRow(const std::string& path) : JsonEvents(path, 0) {}

  std::optional<std::int64_t> step;
  std::vector<std::pair<std::string, std::string>> fields;

  void on_null() override { put("null"); }
  void on_bool(bool value) override { put(value ? "true" : "false"); }
  void on_int(std::int64_t value) override {
    if (depth_ == 1 && name_ == "step") {
      step = value;
    } else {
      put(fmt::format("{}", value));
    }
  }
  void on_double(double value) override { put(fmt::format("{}", value + 0.0)); }  // no -0
  void on_string(const std::string& value) override { put(json_quote(value)); }
  void on_key(const std::string& key) override {
    if (depth_ == 2) {
      if (object_.size() > 1) object_ += ',';
      object_ += json_quote(key) + ":";
      return;
    }
    name_ = key;
    if (!names_.insert(key).second) fail("a name twice");
  }
  void on_object_begin() override {
    if (depth_ == 2) unexpected("an object");
    if (depth_ == 1) object_.assign(1, '{');
    ++depth_;
  }
  void on_object_end() override {
    if (--depth_ == 1) put(object_ + "}");
  }

 private:
  void put(const std::string& json) {
    if (depth_ == 2) {
      object_ += json;
    } else {
      if (name_ == "step") fail("a step that is no integer");
      fields.emplace_back(name_, json);
    }
  }
  int depth_ = 0;
  std::string name_, object_;
  std::set<std::string> names_;
};

}  // namespace

KeptRows kept_json_rows(std::string_view file, const std::string& path, std::int64_t step) {
  KeptRows out;
  std::uint64_t line = 0;
  for (std::size_t at = 0, end; (end = file.find('\n', at)) != std::string_view::npos;
       at = end + 1) {
    ++line;
    const std::string_view text = file.substr(at, end - at);
    JsonRow row(path);
    try {
      read_json_object(text, row);
      if (!row.step) row.fail("no step");
    } catch (const FormatError&) {
      throw FormatError::at_line(path, line, "no line of this log");
    }
    if (*row.step > step) continue;
    out.content.append(text) += '\n';
    out.last = {.step = *row.step, .fields = std::move(row.fields), .written = text.size() + 1};
  }
  return out;
}

std::string json_line(const StepRow& row) {
  std::string out = fmt::format(R"({{"step":{})", row.step);
  for (const auto& [name, json] : row.fields) out += fmt::format(",{}:{}", json_quote(name), json);
  return out + "}\n";
}

std::optional<KeptRows> kept_csv_rows(std::string_view file, const std::string& path,
                                      std::int64_t step) {
  std::size_t at = 0;
  const std::optional<CsvRecord> header = next_record(file, at);
  if (!header) return std::nullopt;
  if (header->front() != "step") throw FormatError::at_line(path, 1, "the first column is no step");
  if (std::set<std::string_view>(header->begin(), header->end()).size() != header->size()) {
    throw FormatError::at_line(path, 1, "a column is there twice");
  }
  KeptRows out;
  out.content = line_of_fields(*header);
  CsvRecord last;
  std::uint64_t line = 1;
  while (std::optional<CsvRecord> record = next_record(file, at)) {
    ++line;
    const auto of = number_in<std::int64_t>(record->front());
    if (!of || record->size() != header->size()) {
      throw FormatError::at_line(path, line, "no row of this log");
    }
    if (*of > step) continue;
    const std::string kept = line_of_fields(*record);
    out.content += kept;
    out.last = {.step = *of, .fields = {}, .written = kept.size()};
    last = std::move(*record);
  }
  for (std::size_t i = 1; i < last.size(); ++i) {
    if (!last[i].empty()) out.last.fields.emplace_back((*header)[i], std::move(last[i]));
  }
  out.columns.assign(header->begin() + 1, header->end());
  return out;
}

}  // namespace heed::train
