#include "config.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"

namespace heed::io {
namespace {

class ConfigReader : public JsonEvents {
 public:
  explicit ConfigReader(const std::string& path) : JsonEvents(path, 0) {}

  std::map<std::string, Config::Value> values;

  void on_bool(bool value) override { values[key_] = value; }
  void on_int(std::int64_t value) override { values[key_] = value; }
  void on_double(double value) override { values[key_] = value; }
  void on_string(const std::string& value) override { values[key_] = value; }
  void on_object_begin() override {
    if (inside_) unexpected("an object");
    inside_ = true;
  }
  void on_key(const std::string& key) override {
    if (values.contains(key)) fail(fmt::format("the key {} stands twice", in_quotes(key)));
    key_ = key;
  }

 protected:
  void unexpected(const char* what) const override {
    fail(fmt::format("the value of {} is {}; it must be a boolean, a number or text",
                     in_quotes(key_), what));
  }

 private:
  bool inside_ = false;
  std::string key_;
};

const char* kind(const Config::Value& value) {
  constexpr const char* kKinds[] = {"a boolean", "an integer", "a number", "text"};
  return kKinds[value.index()];
}

std::string to_text(const Config::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return json_quote(*text);
  // fmt prints the shortest text that reads back as the same bits; a whole number must stay a
  // double.
  std::string digits = fmt::format("{}", std::get<double>(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

}  // namespace

Config Config::parse(std::string_view json, const std::string& path) {
  ConfigReader reader(path);
  read_json_object(json, reader);
  Config config;
  config.path_ = path;
  config.values_ = std::move(reader.values);
  return config;
}

std::string Config::to_json() const {
  std::string lines;
  for (const auto& [key, value] : values_) {
    if (!lines.empty()) lines += ",\n";
    lines += fmt::format("  {}: {}", json_quote(key), to_text(value));
  }
  return fmt::format("{{\n{}\n}}\n", lines);
}

void Config::set(const std::string& key, const Value& value) {
  const auto* number = std::get_if<double>(&value);
  if (number && !std::isfinite(*number)) {
    throw ValueError(
        fmt::format("config: the value of {} is {}, not finite", in_quotes(key), *number));
  }
  values_[key] = value;
}

void Config::refuse(const std::string& key, const std::string& what) const {
  throw FormatError(path_, 0, fmt::format("the setting {} {}", in_quotes(key), what));
}

const Config::Value& Config::get(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) refuse(key, "is missing");
  return found->second;
}

bool Config::get_bool(const std::string& key) const {
  const Value& value = get(key);
  const auto* flag = std::get_if<bool>(&value);
  if (!flag) refuse(key, fmt::format("must be a boolean, not {}", kind(value)));
  return *flag;
}

std::int64_t Config::get_int(const std::string& key, std::int64_t least, std::int64_t most) const {
  const Value& value = get(key);
  const auto* number = std::get_if<std::int64_t>(&value);
  if (!number) refuse(key, fmt::format("must be an integer, not {}", kind(value)));
  if (*number < least || *number > most) {
    refuse(key, fmt::format("must be in [{}, {}], not {}", least, most, *number));
  }
  return *number;
}

double Config::get_double(const std::string& key, double least, double most) const {
  const Value& value = get(key);
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* given = std::get_if<double>(&value)) {
    number = *given;
  } else {
    refuse(key, fmt::format("must be a number, not {}", kind(value)));
  }
  if (!(number >= least && number <= most)) {
    refuse(key, fmt::format("must be in [{}, {}], not {}", least, most, number));
  }
  return number;
}

const std::string& Config::get_string(const std::string& key) const {
  const Value& value = get(key);
  const auto* text = std::get_if<std::string>(&value);
  if (!text) refuse(key, fmt::format("must be text, not {}", kind(value)));
  return *text;
}

}  // namespace heed::io
