#include "json_log.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../io/file.h"
#include "../io/read_only.h"

namespace heed::train {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

JsonLog::JsonLog(const std::string& path) : file_(path) {}

JsonLog::~JsonLog() {
  try {
    flush();
  } catch (const std::exception&) {
    // Nobody is there to hear of it.
  }
}

void JsonLog::set(std::int64_t step, const std::string& name, std::string json) {
  if (name == "step") throw ValueError("json log: a figure cannot be called \"step\"");
  if (io::read_only()) return;
  if (step != row_.step) {
    flush();
    row_ = {.step = step, .fields = {}};
  }
  row_.set(name, std::move(json));
}

void JsonLog::write_scalar(std::int64_t step, const std::string& name, double value) {
  set(step, name, number(value));
}

void JsonLog::write_text(std::int64_t step, const std::string& name, const std::string& text) {
  set(step, name, json_quote(text));
}

void JsonLog::write_histogram(std::int64_t step, const std::string& name, const Spread& spread) {
  set(step, name,
      fmt::format(R"({{"count":{},"mean":{},"std":{},"min":{},"max":{}}})", spread.count,
                  number(spread.mean()), number(spread.deviation()), number(spread.least),
                  number(spread.most)));
}

void JsonLog::flush() {
  if (!row_.waits || io::read_only()) return;
  if (fresh_) {
    io::write_file_atomically(file_.path(), "");
    file_.reopen();
    fresh_ = false;
  }
  std::string line = fmt::format(R"({{"step":{})", row_.step);
  for (const auto& [name, json] : row_.fields) {
    line += fmt::format(",{}:{}", json_quote(name), json);
  }
  line += "}\n";
  file_.take_back(row_.written);
  row_.written = 0;
  file_.append(line);
  row_.written = line.size();
  row_.waits = false;
}

void JsonLog::go_on_after(std::int64_t step) {
  if (io::read_only()) return;
  const std::string before = io::read_file(file_.path());
  std::string content;
  std::uint64_t line = 0;
  for (std::size_t at = 0, end; (end = before.find('\n', at)) != std::string::npos; at = end + 1) {
    ++line;
    const std::string text = before.substr(at, end - at);
    const auto row = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!row.is_object() || !row.contains("step") || !row["step"].is_number_integer()) {
      throw FormatError::at_line(file_.path(), line, "no line of this log");
    }
    const auto of = row["step"].get<std::int64_t>();
    if (of > step) continue;
    content += text + "\n";
    row_ = {.step = of, .fields = {}, .written = text.size() + 1};  // more may come of the last one
    for (const auto& [name, value] : row.items()) {
      if (name != "step") row_.fields.emplace_back(name, value.dump());
    }
  }
  io::write_file_atomically(file_.path(), content);
  file_.reopen();
  fresh_ = false;
}

}  // namespace heed::train
