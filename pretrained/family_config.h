// The config.json beside a model of Hugging Face's transformers: names and values, objects within
// it flattened ("rope_scaling.factor"); of lists only the first of "architectures" is kept, as
// "architectures.0", and all of "layer_types".
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "../core/shape.h"

namespace heed::pretrained {

class FamilyConfig {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

  /// Throws IoError; FormatError for broken JSON, a key given twice, objects more than 8 deep.
  static FamilyConfig read(const std::string& path);

  /// Whether it is there and no null, which all of these take for missing.
  bool has(const std::string& key) const { return find(key) != nullptr; }
  bool is_null(const std::string& key) const { return values_.contains(key) && !has(key); }
  /// A positive integer of at most 2^31. Throws FormatError where it is missing or anything else.
  Index size(const std::string& key) const;
  Index size(const std::string& key, Index otherwise) const;
  /// Throw FormatError for a value of another kind.
  double number(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// A list of texts; empty where it is missing.
  std::vector<std::string> texts(const std::string& key) const;
  /// Throws the FormatError of a value that is not `wanted`.
  void want(const std::string& key, bool wanted) const;
  /// Throws the FormatError of a key that asks for what is not here.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

  const std::string& path() const { return path_; }

 private:
  const Value* find(const std::string& key) const;
  std::string path_;
  std::map<std::string, Value> values_;
};

}  // namespace heed::pretrained
