// Labelled texts as JSON lines: one object a line, whose fields are chosen by name. Other fields
// are passed over: they take no memory, however many they are and however deep they go.
#pragma once

#include <string>
#include <vector>

#include "labelled_text.h"
#include "text_file.h"

namespace heed::data {

class JsonLinesReader : public LabelledTextReader {
 public:
  /// `label` names a field that holds a string, an integer or a boolean; an empty name reads no
  /// labels. `text` names a field, or several with commas between ("title,paragraphs"), that hold a
  /// string or an array of strings; all are joined by line ends. A chosen field that stands twice
  /// is a FormatError. Throws ValueError when `text` lacks a name, and what TextFile throws.
  JsonLinesReader(const std::string& path, const std::string& label, const std::string& text);

  bool next(LabelledText& out) override;
  TextPlace place() const override { return file_.place(); }
  void go_to(const TextPlace& place) override;

 private:
  TextFile file_;
  std::string line_;
  std::string label_;
  std::vector<std::string> text_;
  bool found_any_ = false;
};

}  // namespace heed::data
