#include "json_events.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "error.h"
#include "quoted.h"

namespace heed {
namespace {

using nlohmann::json;

// nlohmann's SAX interface in front of ours. Its parser keeps its own stack: no recursion.
class Adapter {
 public:
  explicit Adapter(JsonEvents& events) : events_(events) {}

  bool null() { return events_.on_null(), true; }
  bool boolean(bool value) { return events_.on_bool(value), true; }
  bool number_integer(json::number_integer_t value) { return events_.on_int(value), true; }
  bool number_unsigned(json::number_unsigned_t value) {
    if (value > static_cast<json::number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      events_.fail(fmt::format("the integer {} is larger than 64 bits with a sign hold", value));
    }
    return events_.on_int(static_cast<std::int64_t>(value)), true;
  }
  bool number_float(json::number_float_t value, const std::string& text) {
    // Integers beyond 64 bits arrive here too.
    if (text.find_first_of(".eE") == std::string::npos) {
      events_.fail(fmt::format("the integer {} is larger than 64 bits hold", in_quotes(text)));
    }
    return events_.on_double(value), true;
  }
  bool string(std::string& value) { return events_.on_string(value), true; }
  bool binary(json::binary_t&) { return false; }
  bool key(std::string& value) { return events_.on_key(value), true; }
  bool start_object(std::size_t) { return events_.on_object_begin(), true; }
  bool end_object() { return events_.on_object_end(), true; }
  bool start_array(std::size_t) { return events_.on_array_begin(), true; }
  bool end_array() { return events_.on_array_end(), true; }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    throw FormatError(events_.path(), events_.offset() + (position > 0 ? position - 1 : 0),
                      "this is not valid JSON");
  }

 private:
  JsonEvents& events_;
};

}  // namespace

void JsonEvents::fail(const std::string& what) const { throw FormatError(path_, offset_, what); }

void JsonEvents::unexpected(const char* what) const { fail(fmt::format("{} is unexpected", what)); }

void read_json_object(std::string_view text, JsonEvents& events) {
  // The parser skips a byte order mark and takes a zero byte for the end: we do neither.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    events.fail("a JSON object beginning with '{' is expected");
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw FormatError(events.path(), events.offset() + zero, "a zero byte within JSON");
  }
  Adapter adapter(events);
  json::sax_parse(text.begin(), text.end(), &adapter);
}

std::string json_quote(std::string_view text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw ValueError("json: a string is not valid UTF-8");
  }
}

}  // namespace heed
