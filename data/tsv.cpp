#include "tsv.h"

#include "../core/error.h"
#include "utf8.h"

namespace heed::data {
namespace {

std::vector<std::string> wanted(const std::string& label, const std::string& text) {
  if (text.empty()) throw ValueError("tsv: no column is chosen for the text");
  if (label.empty()) return {text};
  return {label, text};
}

}  // namespace

TsvReader::TsvReader(const std::string& path, const std::string& label, const std::string& text)
    : columns_(path, wanted(label, text)), labelled_(!label.empty()) {}

bool TsvReader::next(LabelledText& out) {
  if (!columns_.next(row_)) {
    if (found_any_) return false;
    throw FormatError::at_line(columns_.path(), columns_.line() + 1, "the file has no texts");
  }
  const auto fail = [this](const std::string& what) {
    throw FormatError::at_line(columns_.path(), columns_.line(), what);
  };
  if (labelled_ && row_.front().empty()) fail("no label");
  if (is_blank(row_.back())) fail("no text");
  out.label = labelled_ ? row_.front() : std::string();
  out.text = row_.back();
  out.line = columns_.line();
  found_any_ = true;
  return true;
}

void TsvReader::go_to(const TextPlace& place) {
  columns_.go_to(place);
  found_any_ = place.line > 0;
}

}  // namespace heed::data
