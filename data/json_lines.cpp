#include "json_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../core/error.h"
#include "utf8.h"

namespace heed::data {
namespace {

using Json = nlohmann::json;

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> out(1);
  for (const char c : names) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}

// One line of the file, to read fields from and to complain about.
class Record {
 public:
  Record(const TextFile& file, const std::string& line) : file_(file) {
    try {
      object_ = Json::parse(line);
    } catch (const Json::parse_error& error) {
      fail(fmt::format("not valid JSON at column {}", error.byte));
    }
    if (!object_.is_object()) fail(fmt::format("must be an object, is {}", describe(object_)));
  }

  std::string label(const std::string& name) const {
    const Json& value = field(name);
    if (value.is_number_integer() || value.is_boolean()) return value.dump();
    if (!value.is_string()) {
      fail(fmt::format("the label \"{}\" must be a string, is {}", name, describe(value)));
    }
    const auto& label = value.get_ref<const std::string&>();
    if (label.empty()) fail("no label");
    return label;
  }

  void append_text(const std::string& name, std::string& text) const {
    const Json& value = field(name);
    const auto append = [&](const Json& part, const char* verb) {
      if (!part.is_string()) {
        fail(fmt::format("the text \"{}\" must be a string or an array of strings, {} {}", name,
                         verb, describe(part)));
      }
      if (!text.empty()) text.push_back('\n');
      text += part.get_ref<const std::string&>();
    };
    if (!value.is_array()) return append(value, "is");
    for (const Json& part : value) append(part, "holds");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError::at_line(file_.path(), file_.line(), what);
  }

 private:
  static std::string describe(const Json& value) {
    return value.is_null() ? "null" : fmt::format("a JSON {}", value.type_name());
  }

  const Json& field(const std::string& name) const {
    const auto found = object_.find(name);
    if (found != object_.end()) return *found;
    std::string names;
    for (const auto& item : object_.items()) names += (names.empty() ? "" : ", ") + item.key();
    fail(fmt::format("no field \"{}\"; the fields are {}", name, names));
  }

  const TextFile& file_;
  Json object_;
};

}  // namespace

JsonLinesReader::JsonLinesReader(const std::string& path, const std::string& label,
                                 const std::string& text)
    : file_(path), label_(label), text_(split_names(text)) {
  for (const std::string& name : text_) {
    if (name.empty()) throw ValueError("jsonl: no field is chosen for the text");
  }
}

bool JsonLinesReader::next(LabelledText& out) {
  do {
    if (!file_.next(line_)) {
      if (found_any_) return false;
      throw FormatError::at_line(file_.path(), file_.line() + 1, "the file has no texts");
    }
  } while (is_blank(line_));

  const Record record(file_, repair_utf8(line_));
  LabelledText read;
  if (!label_.empty()) read.label = record.label(label_);
  for (const std::string& name : text_) record.append_text(name, read.text);
  if (is_blank(read.text)) record.fail("no text");
  read.line = file_.line();
  out = std::move(read);
  found_any_ = true;
  return true;
}

}  // namespace heed::data
