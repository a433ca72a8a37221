// Where a pattern of tokenizer.json stands in a text: a literal, or a regular expression by PCRE2,
// with Unicode's classes and a bound on what a match may cost. \w is what Oniguruma takes for a
// word's: letters, marks, decimal digits, connectors.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../core/json_tree.h"
#include "text.h"

namespace heed::data::tokenizers {

class Pattern {
 public:
  /// Throws ValueError for an expression that is none.
  static Pattern expression(const std::string& text);
  static Pattern literal(const std::string& text);
  /// {"Regex": ".."} or {"String": ".."}. Throws FormatError.
  static Pattern read(const JsonView& json);

  /// Each match, of characters begin .. end - 1, one after the other; empty ones are left out.
  /// Throws ValueError where the expression would take too long.
  std::vector<std::pair<std::size_t, std::size_t>> matches(const Text& text) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
  std::u32string literal_;
};

/// Which part a piece belongs to that a delimiter is cut at.
enum class Cut : std::uint8_t { removed, isolated, with_previous, with_next, contiguous };
/// Throws FormatError for another name.
Cut read_cut(const JsonView& json);
/// Pieces begin .. end - 1 of the text, cut at the matches; `invert`: at what is no match.
std::vector<std::pair<std::size_t, std::size_t>> cut_at(
    std::size_t size, const std::vector<std::pair<std::size_t, std::size_t>>& matches, Cut cut,
    bool invert = false);

}  // namespace heed::data::tokenizers
