#include "alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "../data/utf8.h"
#include "bitmap_font.h"
#include "drawn_alignment.h"

namespace heed::train {
namespace {

constexpr std::size_t kLongest = 24;
constexpr Index kDot = 2;  // each dot of the font is a square of so many
constexpr Index kLetter = kDot * (kGlyphWidth + 1), kLine = kDot * kTallGlyphHeight;
// A letter's middle, marks and tails aside, is then that of the square beside it.
constexpr Index kCell = 26;
constexpr Index kMargin = 14, kGap = 8;
constexpr Colour kWhite = {255, 255, 255}, kInk = {32, 32, 32}, kGrid = {222, 222, 222};
constexpr Colour kFull = {168, 67, 0};

// Letter by letter, dot by dot. x, y: the upper left corner; of a text that is read upwards, the
// lower left. Combining marks, which have no width, are left out. The text's length.
Index write(Picture* picture, Index x, Index y, std::string_view text, bool upwards = false) {
  Index along = 0;
  for (std::size_t at = 0; at < text.size();) {
    const data::Decoded c = data::decode_utf8(text, at);
    const bool seen = display_width(text.substr(at, c.length)) > 0;
    at += c.length;
    if (!seen) continue;
    const auto columns = tall_glyph(c.code);
    for (Index dot = 0; picture && dot < kGlyphWidth * kTallGlyphHeight; ++dot) {
      const Index column = dot / kTallGlyphHeight, row = dot % kTallGlyphHeight;
      if ((columns[static_cast<std::size_t>(column)] >> row & 1) == 0) continue;
      const Index right = along + kDot * column, down = kDot * row;
      picture->fill(upwards ? x + down : x + right, upwards ? y - right - kDot : y + down, kDot,
                    kDot, kInk);
    }
    along += kLetter;
  }
  return along;
}

Index width_of(std::string_view text) { return write(nullptr, 0, 0, text); }

Index widest(const std::vector<std::string>& texts) {
  Index width = 0;
  for (const std::string& text : texts) width = std::max(width, width_of(text));
  return width;
}

}  // namespace

Picture alignment_picture(const Alignment& alignment) {
  const DrawnAlignment it = drawn("alignment_picture", alignment, kLongest);
  const Index left = kMargin + widest(it.rows) + kGap;
  const Index head = it.title.empty() ? 0 : kLine + kGap;
  const Index top = kMargin + head + widest(it.columns) + kGap;
  const Index right = left + static_cast<Index>(it.columns.size()) * kCell;
  const Index bottom = top + static_cast<Index>(it.rows.size()) * kCell;
  const std::string key = fmt::format("full shade: {:.3g}", it.largest);
  const Index width = std::max({right, kMargin + width_of(it.title), kMargin + width_of(key)});
  Picture out(width + kMargin, bottom + kGap + kLine + kMargin, kWhite);

  write(&out, kMargin, kMargin, it.title);
  write(&out, kMargin, bottom + kGap, key);
  out.fill(left, top, right - left + 1, bottom - top + 1, kGrid);
  for (Index x = left; const std::string& word : it.columns) {
    write(&out, x, top - kGap, word, true);
    x += kCell;
  }
  Index y = top;
  for (std::size_t row = 0; row < it.rows.size(); ++row, y += kCell) {
    write(&out, left - kGap - width_of(it.rows[row]), y, it.rows[row]);
    Index x = left + 1;
    for (std::size_t column = 0; column < it.columns.size(); ++column, x += kCell) {
      Picture shade(1, 1, kWhite);
      shade.blend(0, 0, kFull, it.share(row, column));
      out.fill(x, y + 1, kCell - 1, kCell - 1, shade.at(0, 0));
    }
  }
  return out;
}

}  // namespace heed::train
