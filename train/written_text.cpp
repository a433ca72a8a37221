#include "written_text.h"

#include <algorithm>

#include "../data/utf8.h"
#include "drawn_alignment.h"

namespace heed::train {
namespace {

using data::kGlyphWidth, data::kTallGlyphHeight;

constexpr Index kLetter = kTextDot * (kGlyphWidth + 1);
constexpr Colour kInk = {32, 32, 32};

// body(code) for each character that takes a place.
template <class Body>
void each_letter(std::string_view text, const Body& body) {
  for (std::size_t at = 0; at < text.size();) {
    const data::Decoded c = data::decode_utf8(text, at);
    const bool seen = display_width(text.substr(at, c.length)) > 0;
    at += c.length;
    if (seen) body(c.code);
  }
}

}  // namespace

void write_text(Picture* picture, Index x, Index y, std::string_view text, Written direction) {
  Index along = 0;
  each_letter(text, [&](char32_t code) {
    const auto columns = data::tall_glyph(code);
    for (Index dot = 0; dot < Index{kGlyphWidth} * kTallGlyphHeight; ++dot) {
      const Index column = dot / kTallGlyphHeight, row = dot % kTallGlyphHeight;
      if ((columns[static_cast<std::size_t>(column)] >> row & 1) == 0) continue;
      const Index right = along + kTextDot * column, down = kTextDot * row;
      const bool upwards = direction == Written::upwards;
      picture->fill(upwards ? x + down : x + right, upwards ? y - right - kTextDot : y + down,
                    kTextDot, kTextDot, kInk);
    }
    along += kLetter;
  });
}

Index written_width(std::string_view text) {
  Index letters = 0;
  each_letter(text, [&](char32_t) { ++letters; });
  return letters * kLetter;
}

Index written_width(const std::vector<std::string>& texts) {
  Index width = 0;
  for (const std::string& text : texts) width = std::max(width, written_width(text));
  return width;
}

}  // namespace heed::train
