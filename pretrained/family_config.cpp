#include "family_config.h"

#include <fmt/format.h>

#include <vector>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"
#include "../io/file.h"

namespace heed::pretrained {
namespace {

constexpr std::size_t kDeepest = 8;

class ConfigReader final : public JsonEvents {
 public:
  ConfigReader(const std::string& path, std::size_t bytes)
      : JsonEvents(path, 0), longest_names_(64 * bytes) {}

  void on_key(const std::string& key) override {
    if (lists_ > 0) return;
    names_.back() = key;
  }
  void on_object_begin() override {
    if (lists_ > 0) {
      deeper();
      return;
    }
    if (names_.size() >= kDeepest) fail("objects within objects, too deep");
    names_.emplace_back();
  }
  void on_object_end() override {
    if (lists_ > 0) {
      --lists_;
    } else {
      names_.pop_back();
    }
  }
  void on_array_begin() override { deeper(); }
  void on_array_end() override { --lists_; }
  void on_null() override { put(std::monostate()); }
  void on_bool(bool value) override { put(value); }
  void on_int(std::int64_t value) override { put(value); }
  void on_double(double value) override { put(value); }
  void on_string(const std::string& value) override { put(value); }

  std::map<std::string, FamilyConfig::Value> values;

 private:
  // Within a list everything is passed over.
  void deeper() {
    if (++lists_ > kDeepest) fail("lists within lists, too deep");
  }
  void put(const FamilyConfig::Value& value) {
    if (lists_ > 0) {
      if (lists_ != 1 || names_.size() != 1) return;
      if (names_[0] == "architectures") values.try_emplace("architectures.0", value);
      if (names_[0] == "layer_types") set(fmt::format("layer_types.{}", layers_++), value);
      return;
    }
    std::string name;
    for (const std::string& part : names_) name += (name.empty() ? "" : ".") + part;
    named_ += name.size();
    if (named_ > longest_names_) fail("names of values that are far longer than the file");
    set(name, value);
  }
  void set(const std::string& name, const FamilyConfig::Value& value) {
    if (!values.emplace(name, value).second) fail(in_quotes(name) + " is there twice");
  }

  std::vector<std::string> names_;
  std::size_t lists_ = 0, layers_ = 0;
  std::size_t longest_names_, named_ = 0;  // bytes of all names together: each value has its whole
};

}  // namespace

FamilyConfig FamilyConfig::read(const std::string& path) {
  const std::string text = io::read_file(path);
  ConfigReader reader(path, text.size());
  read_json_object(text, reader);
  FamilyConfig out;
  out.path_ = path;
  out.values_ = std::move(reader.values);
  return out;
}

const FamilyConfig::Value* FamilyConfig::find(const std::string& key) const {
  const auto found = values_.find(key);
  const bool there =
      found != values_.end() && !std::holds_alternative<std::monostate>(found->second);
  return there ? &found->second : nullptr;
}

void FamilyConfig::refuse(const std::string& key, const std::string& what) const {
  throw FormatError(path_, 0, key + ": " + what);
}

Index FamilyConfig::size(const std::string& key) const {
  const Value* const value = find(key);
  if (value == nullptr) refuse(key, "is missing");
  const auto* const number = std::get_if<std::int64_t>(value);
  if (number == nullptr || *number < 1 || *number > std::int64_t{1} << 31) {
    refuse(key, "must be a positive integer, at most 2^31");
  }
  return *number;
}

Index FamilyConfig::size(const std::string& key, Index otherwise) const {
  return has(key) ? size(key) : otherwise;
}

double FamilyConfig::number(const std::string& key, double otherwise) const {
  const Value* const value = find(key);
  if (value == nullptr) return otherwise;
  if (const auto* const real = std::get_if<double>(value)) return *real;
  if (const auto* const integer = std::get_if<std::int64_t>(value)) {
    return static_cast<double>(*integer);
  }
  refuse(key, "must be a number");
}

bool FamilyConfig::flag(const std::string& key, bool otherwise) const {
  const Value* const value = find(key);
  if (value == nullptr) return otherwise;
  if (const auto* const flag = std::get_if<bool>(value)) return *flag;
  refuse(key, "must be true or false");
}

std::string FamilyConfig::text(const std::string& key, const std::string& otherwise) const {
  const Value* const value = find(key);
  if (value == nullptr) return otherwise;
  if (const auto* const text = std::get_if<std::string>(value)) return *text;
  refuse(key, "must be a text");
}

std::vector<std::string> FamilyConfig::texts(const std::string& key) const {
  std::vector<std::string> out;
  while (true) {
    const std::string each = fmt::format("{}.{}", key, out.size());
    if (!values_.contains(each)) return out;
    out.push_back(text(each, ""));
  }
}

void FamilyConfig::want(const std::string& key, bool wanted) const {
  if (flag(key, wanted) != wanted) refuse(key, wanted ? "false is not known" : "true is not known");
}

}  // namespace heed::pretrained
