#include "json_lines.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "../core/error.h"
#include "../core/quoted.h"
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

// A field that is asked for, and what the line has there.
struct Field {
  bool is_label = false, is_text = false;
  bool found = false, any_text = false;
  std::string label, text;

  void append(const std::string& part) {
    if (!text.empty()) text.push_back('\n');
    text += part;
    any_text = true;
  }
};

// One line of the file, as the events of nlohmann's parser. Keeps the fields that are asked for and
// nothing of the others: however many there are and however deep they go, they take no memory.
class Record {
 public:
  Record(const TextFile& file, const std::string& label, const std::vector<std::string>& texts)
      : file_(file) {
    if (!label.empty()) fields_[label].is_label = true;
    for (const std::string& name : texts) fields_[name].is_text = true;
  }

  void read(std::string_view line) {
    // The parser would take a zero byte for the end.
    const std::size_t zero = line.find('\0');
    if (zero != std::string_view::npos) fail_syntax(zero + 1);
    Json::sax_parse(line.begin(), line.end(), this);
  }

  const Field& field(const std::string& name) const {
    const Field& field = fields_.find(name)->second;
    if (field.found) return field;
    const std::size_t more = keys_ - named_;
    fail(fmt::format("no field {}; the fields are {}{}", in_quotes(name), names_,
                     more > 0 ? fmt::format(" and {} more", more) : ""));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError::at_line(file_.path(), file_.line(), what);
  }

  // The events. True: go on.
  bool null() { return other("null"); }
  bool boolean(bool value) { return word(value ? "true" : "false", "a JSON boolean"); }
  bool number_integer(std::int64_t value) { return word(std::to_string(value), "a JSON number"); }
  bool number_unsigned(std::uint64_t value) { return word(std::to_string(value), "a JSON number"); }
  bool number_float(double, const std::string&) { return other("a JSON number"); }
  bool binary(Json::binary_t&) { return false; }
  bool string(const std::string& value) {
    if (depth_ == 0) return other("a JSON string");
    if (!wanted()) return true;
    if (at_->is_label) at_->label = value;
    if (at_->is_text) at_->append(value);
    return true;
  }
  bool key(const std::string& name) {
    if (depth_ != 1) return true;
    ++keys_;
    if (named_ < kNamed && names_.size() < kLongestNames) {
      names_ += (named_++ > 0 ? ", " : "") + in_quotes(name);
    }
    const auto found = fields_.find(name);
    at_ = found == fields_.end() ? nullptr : &found->second;
    if (at_ == nullptr) return true;
    if (at_->found) fail(fmt::format("the field {} stands twice", in_quotes(name)));
    at_->found = true;
    name_ = name;
    return true;
  }
  bool start_object(std::size_t) {
    if (depth_ > 0) other("a JSON object");
    ++depth_;
    return true;
  }
  bool end_object() { return --depth_, true; }
  bool start_array(std::size_t) {
    if (depth_ == 1 && wanted() && at_->is_text && !at_->is_label) {
      in_array_ = true;
    } else {
      other("a JSON array");
    }
    ++depth_;
    return true;
  }
  bool end_array() {
    if (--depth_ == 1) in_array_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id != kNumberOverflow) fail_syntax(position);
    fail(fmt::format("a number beyond the range of doubles at column {}", position));
  }

 private:
  // A message names so many fields, and none behind so many bytes.
  static constexpr std::size_t kNamed = 20, kLongestNames = 1000;

  [[noreturn]] void fail_syntax(std::size_t column) const {
    fail(fmt::format("not valid JSON at column {}", column));
  }

  // Whether the value that comes is, or belongs to, a field that is asked for.
  bool wanted() const { return at_ != nullptr && (depth_ == 1 || (depth_ == 2 && in_array_)); }

  // A value that can be a label, but no text.
  bool word(std::string label, const char* kind) {
    if (wanted() && at_->is_label && !at_->is_text) {
      at_->label = std::move(label);
      return true;
    }
    return other(kind);
  }

  // A value that nothing asked for can be.
  bool other(const char* kind) const {
    if (depth_ == 0) fail(fmt::format("must be an object, is {}", kind));
    if (!wanted()) return true;
    if (at_->is_label)
      fail(fmt::format("the label {} must be a string, is {}", in_quotes(name_), kind));
    fail(fmt::format("the text {} must be a string or an array of strings, {} {}", in_quotes(name_),
                     in_array_ ? "holds" : "is", kind));
  }

  const TextFile& file_;
  std::map<std::string, Field, std::less<>> fields_;
  std::string names_;      // of the first keys
  std::size_t named_ = 0;  // so many
  std::size_t keys_ = 0;   // of the object itself
  std::size_t depth_ = 0;  // 1: in the object
  Field* at_ = nullptr;    // the one whose key came last, null where it is not asked for
  std::string name_;       // its name
  bool in_array_ = false;  // of texts
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

  if (!is_valid_utf8(line_)) line_ = repair_utf8(line_);
  Record record(file_, label_, text_);
  record.read(line_);
  LabelledText read;
  if (!label_.empty()) {
    read.label = record.field(label_).label;
    if (read.label.empty()) record.fail("no label");
  }
  for (const std::string& name : text_) {
    const Field& field = record.field(name);
    if (!field.any_text) continue;
    if (!read.text.empty()) read.text.push_back('\n');
    read.text += field.text;
  }
  if (is_blank(read.text)) record.fail("no text");
  read.line = file_.line();
  out = std::move(read);
  found_any_ = true;
  return true;
}

void JsonLinesReader::go_to(const TextPlace& place) {
  file_.go_to(place);
  found_any_ = place.line > 0;
}

}  // namespace heed::data
