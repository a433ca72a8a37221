// What holds for the texts of every LabelledTextReader.
#pragma once

#include <memory>

#include "../../data/labelled_text.h"
#include "../../data/utf8.h"
#include "checks.h"

namespace heed::fuzz {

/// Reads to the end. Throws what the reader throws.
inline std::vector<data::LabelledText> read_labelled(const std::string& path,
                                                     const data::LabelledTextOptions& options) {
  const auto reader = data::open_labelled_text(path, options);
  std::vector<data::LabelledText> out;
  std::uint64_t line = 0;
  for (data::LabelledText text; reader->next(text);) {
    require(text.line > line, "texts come in order");
    line = text.line;
    require(data::is_valid_utf8(text.text) && data::is_valid_utf8(text.label), "texts are UTF-8");
    require(!data::is_blank(text.text), "no text is blank");
    require(text.label.empty() == options.label.empty(), "labels are there where asked for");
    out.push_back(text);
  }
  require(!out.empty(), "an accepted file has texts");
  return out;
}

inline bool equal_texts(const std::vector<data::LabelledText>& a,
                        const std::vector<data::LabelledText>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].label != b[i].label || a[i].text != b[i].text) return false;
  }
  return true;
}

}  // namespace heed::fuzz
