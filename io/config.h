// Config: a model's settings, key to boolean, integer, number or text, kept as one flat JSON
// object:
//   {"classes": 2, "dropout": 0.4, "pooling": "attention"}
// The getters check: a missing key, another type or an integer out of range is a FormatError that
// names the file and the key, so that a damaged or foreign configuration never builds a model.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace heed::io {

class Config {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  Config() = default;
  /// Throws FormatError in `path`'s name: broken JSON, nested or null values, a key given twice.
  static Config parse(std::string_view json, const std::string& path);
  /// Keys in alphabetical order, one a line. Throws ValueError for text that is not UTF-8.
  std::string to_json() const;

  /// Throws ValueError for a number that is not finite: JSON has none.
  void set(const std::string& key, const Value& value);
  bool has(const std::string& key) const { return values_.contains(key); }

  bool get_bool(const std::string& key) const;
  /// Throws FormatError also outside [least, most].
  std::int64_t get_int(const std::string& key,
                       std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// An integer is a number too. Throws FormatError also outside [least, most].
  double get_double(const std::string& key, double least = -std::numeric_limits<double>::infinity(),
                    double most = std::numeric_limits<double>::infinity()) const;
  const std::string& get_string(const std::string& key) const;
  /// Throws the FormatError of a key whose value cannot be used.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  const Value& get(const std::string& key) const;

  std::string path_ = "configuration";
  std::map<std::string, Value> values_;
};

}  // namespace heed::io
