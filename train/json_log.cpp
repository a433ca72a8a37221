#include "json_log.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../io/file.h"
#include "../io/read_only.h"
#include "kept_rows.h"

namespace heed::train {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value + 0.0) : "null";  // no -0
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
  const std::string line = json_line(row_);
  file_.take_back(row_.written);
  row_.written = 0;
  file_.append(line);
  row_.written = line.size();
  row_.waits = false;
}

void JsonLog::go_on_after(std::int64_t step) {
  if (io::read_only()) return;
  KeptRows kept = kept_json_rows(io::read_file(file_.path()), file_.path(), step);
  io::write_file_atomically(file_.path(), kept.content);
  file_.reopen();
  row_ = std::move(kept.last);
  fresh_ = false;
}

}  // namespace heed::train
