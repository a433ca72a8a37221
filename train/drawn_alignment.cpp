#include "drawn_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../data/utf8.h"

namespace heed::train {
namespace {

bool is_blank_character(char32_t c) {
  return c == '\t' || c == '\n' || c == ' ' || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x202F || c == 0x3000;
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool lies_in(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

constexpr Range kCombining[] = {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}};
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::vector<std::string> drawn_words(const std::vector<std::string>& words, std::size_t longest) {
  std::vector<std::string> out(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) out[i] = drawn_word(words[i], longest);
  return out;
}

}  // namespace

std::vector<double> drawn_weights(const char* op, const Array& weights, std::size_t rows,
                                  std::size_t columns) {
  if (!weights.defined() || !is_computed(weights.dtype())) {
    throw DTypeError(fmt::format("{}: weights must be f32 or f64, not {}", op, describe(weights)));
  }
  if (rows == 0 || columns == 0 || weights.rank() != 2 ||
      weights.size(0) != static_cast<Index>(rows) ||
      weights.size(1) != static_cast<Index>(columns)) {
    throw ShapeError(
        fmt::format("{}: weights must be [rows, columns], one or more, with a word each: {} for {} "
                    "and {} words",
                    op, describe(weights), rows, columns));
  }
  std::vector<double> out = weights.to(DType::f64).to_vector<double>();
  for (double& weight : out) {
    if (!std::isfinite(weight) || weight < 0.0) weight = 0.0;
  }
  return out;
}

std::string drawn_word(std::string_view word, std::size_t longest) {
  std::string out;
  std::size_t count = 0, last = 0;
  for (std::size_t at = 0; at < word.size();) {
    const data::Decoded c = data::decode_utf8(word, at);
    at += c.length;
    const bool blank = is_blank_character(c.code);
    if (!blank && data::classify(c.code) == data::CharClass::space) continue;
    if (count == longest) {
      out.resize(last);
      data::append_utf8(out, U'\u2026');
      break;
    }
    ++count;
    last = out.size();
    data::append_utf8(out, blank ? U' ' : c.code);
  }
  return out;
}

DrawnAlignment drawn(const char* op, const Alignment& alignment, std::size_t longest) {
  DrawnAlignment out;
  out.weights =
      drawn_weights(op, alignment.weights, alignment.rows.size(), alignment.columns.size());
  out.largest = *std::max_element(out.weights.begin(), out.weights.end());
  constexpr std::size_t kLongestTitle = 200;
  out.title = drawn_word(alignment.title, kLongestTitle);
  out.columns = drawn_words(alignment.columns, longest);
  out.rows = drawn_words(alignment.rows, longest);
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const data::Decoded c = data::decode_utf8(text, at);
    if (!lies_in(kCombining, c.code)) width += lies_in(kWide, c.code) ? 2 : 1;
    at += c.length;
  }
  return width;
}

std::size_t display_width(const std::vector<std::string>& texts) {
  std::size_t widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, display_width(text));
  return widest;
}

}  // namespace heed::train
