#include "json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "error.h"
#include "json_events.h"
#include "quoted.h"

namespace heed {
namespace {

using Kind = JsonTree::Kind;

constexpr std::size_t kDeepest = 64;

class Builder final : public JsonEvents {
 public:
  explicit Builder(const std::string& path) : JsonEvents(path, 0) {}

  void on_null() override { put({}); }
  void on_bool(bool value) override { put({.kind = Kind::truth, .truth = value}); }
  void on_int(std::int64_t value) override { put({.kind = Kind::integer, .integer = value}); }
  void on_double(double value) override { put({.kind = Kind::real, .real = value}); }
  void on_string(const std::string& value) override {
    JsonTree text = with_parts(Kind::text);
    text.parts->text = value;
    put(std::move(text));
  }
  void on_key(const std::string& key) override {
    if (!names_.back().insert(key).second) fail(in_quotes(key) + " is there twice");
    open_.back().parts->keys.push_back(key);
  }
  void on_object_begin() override { begin(Kind::object); }
  void on_object_end() override { end(); }
  void on_array_begin() override { begin(Kind::list); }
  void on_array_end() override { end(); }

  JsonTree root;

 private:
  static JsonTree with_parts(Kind kind) {
    return {.kind = kind, .parts = std::make_unique<JsonTree::Parts>()};
  }
  void begin(Kind kind) {
    if (open_.size() == kDeepest) fail(fmt::format("more than {} levels", kDeepest));
    open_.push_back(with_parts(kind));
    names_.emplace_back();
  }
  void end() {
    JsonTree whole = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    put(std::move(whole));
  }
  void put(JsonTree tree) {
    if (open_.empty()) {
      root = std::move(tree);
    } else {
      open_.back().parts->items.push_back(std::move(tree));
    }
  }
  std::vector<JsonTree> open_;
  std::vector<std::set<std::string>> names_;
};

}  // namespace

JsonTree JsonTree::parse(std::string_view text, const std::string& path) {
  Builder builder(path);
  read_json_object(text, builder);
  return std::move(builder.root);
}

void JsonView::fail(const std::string& what) const {
  throw FormatError(*path_, 0, fmt::format("{} {}", where_.empty() ? "the file" : where_, what));
}

void JsonView::want(Kind kind, const char* what) const {
  if (tree_->kind != kind)
    fail(fmt::format("{} {}", is_null() ? "is missing, it must be" : "must be", what));
}

bool JsonView::truth() const {
  want(Kind::truth, "true or false");
  return tree_->truth;
}
std::int64_t JsonView::integer() const {
  want(Kind::integer, "an integer");
  return tree_->integer;
}
double JsonView::number() const {
  if (tree_->kind == Kind::integer) return static_cast<double>(tree_->integer);
  want(Kind::real, "a number");
  return tree_->real;
}
const std::string& JsonView::text() const {
  want(Kind::text, "a text");
  return tree_->parts->text;
}

std::size_t JsonView::size() const {
  if (!is_object()) want(Kind::list, "a list");
  return tree_->parts->items.size();
}

JsonView JsonView::operator[](std::size_t i) const {
  if (!is_object()) want(Kind::list, "a list");
  const std::string where = is_object() ? fmt::format("{}{}{}", where_, where_.empty() ? "" : ".",
                                                      in_short(tree_->parts->keys.at(i)))
                                        : fmt::format("{}[{}]", where_, i);
  return {tree_->parts->items.at(i), *path_, where};
}

const std::string& JsonView::key(std::size_t i) const {
  want(Kind::object, "an object");
  return tree_->parts->keys.at(i);
}

JsonView JsonView::operator[](std::string_view key) const {
  static const JsonTree kNothing;
  want(Kind::object, "an object");
  const std::string where = fmt::format("{}{}{}", where_, where_.empty() ? "" : ".", in_short(key));
  const auto& keys = tree_->parts->keys;
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) return {kNothing, *path_, where};
  return {tree_->parts->items[static_cast<std::size_t>(found - keys.begin())], *path_, where};
}

bool JsonView::truth(std::string_view key, bool otherwise) const {
  const JsonView field = (*this)[key];
  return field.is_null() ? otherwise : field.truth();
}
std::int64_t JsonView::integer(std::string_view key, std::int64_t otherwise) const {
  const JsonView field = (*this)[key];
  return field.is_null() ? otherwise : field.integer();
}
std::string JsonView::text(std::string_view key, const std::string& otherwise) const {
  const JsonView field = (*this)[key];
  return field.is_null() ? otherwise : field.text();
}

}  // namespace heed
