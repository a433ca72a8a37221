// JSON as a tree, for files whose objects say by one field what their others are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Small, since two bytes of a text may be one, "0,".
struct JsonTree {
  enum class Kind : std::uint8_t { null, truth, integer, real, text, list, object };

  struct Parts {
    std::string text;
    std::vector<std::string> keys;  ///< of an object, as many as items
    std::vector<JsonTree> items;
  };

  Kind kind = Kind::null;
  bool truth = false;
  std::int64_t integer = 0;
  double real = 0;
  std::unique_ptr<Parts> parts = {};  ///< of a text, a list and an object; null of others

  /// One object. Throws FormatError in `path`'s name for broken JSON, a key given twice, and more
  /// than 64 levels.
  static JsonTree parse(std::string_view text, const std::string& path);
};

/// A look at a place of a tree, which knows where it is: errors are FormatErrors that name it,
/// "model.merges[3] must be a text". The tree and the path must live as long.
class JsonView {
 public:
  JsonView(const JsonTree& tree, const std::string& path, std::string where = "")
      : tree_(&tree), path_(&path), where_(std::move(where)) {}

  bool is_null() const { return tree_->kind == JsonTree::Kind::null; }
  bool is_text() const { return tree_->kind == JsonTree::Kind::text; }
  bool is_list() const { return tree_->kind == JsonTree::Kind::list; }
  bool is_object() const { return tree_->kind == JsonTree::Kind::object; }

  bool truth() const;
  std::int64_t integer() const;
  double number() const;  ///< also of an integer
  const std::string& text() const;

  /// Of a list or an object; throws for others.
  std::size_t size() const;
  JsonView operator[](std::size_t i) const;
  const std::string& key(std::size_t i) const;

  /// A field of an object; what is not there is null.
  JsonView operator[](std::string_view key) const;
  bool has(std::string_view key) const { return !(*this)[key].is_null(); }
  bool truth(std::string_view key, bool otherwise) const;
  std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  std::string text(std::string_view key, const std::string& otherwise) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void want(JsonTree::Kind kind, const char* what) const;
  const JsonTree* tree_;
  const std::string* path_;
  std::string where_;
};

}  // namespace heed
