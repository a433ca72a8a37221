#include "csv_record.h"

namespace heed::train {
namespace {

std::string quoted_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::optional<CsvRecord> next_record(std::string_view text, std::size_t& at) {
  CsvRecord record(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        record.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        record.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
    } else if (c == '\n') {
      ++at;
      return record;
    } else {
      record.back() += c;
    }
  }
  return std::nullopt;
}

std::string line_of_fields(const CsvRecord& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted_field(fields[i]);
  }
  out += '\n';
  return out;
}

}  // namespace heed::train
