#include "alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "drawn_alignment.h"
#include "written_text.h"

namespace heed::train {
namespace {

constexpr std::size_t kLongest = 24;
// A letter's middle, marks and tails aside, is then that of the square beside it.
constexpr Index kCell = 26;
constexpr Index kMargin = 14, kGap = 8;
constexpr Colour kWhite = {255, 255, 255}, kGrid = {222, 222, 222};
constexpr Colour kFull = {168, 67, 0};

}  // namespace

std::vector<std::string> numbered(const std::string& word, Index count) {
  std::vector<std::string> out;
  for (Index i = 1; i <= count; ++i) out.push_back(word + std::to_string(i));
  return out;
}

Picture alignment_picture(const Alignment& alignment) {
  const DrawnAlignment it = drawn("alignment_picture", alignment, kLongest);
  const Index left = kMargin + written_width(it.rows) + kGap;
  const Index head = it.title.empty() ? 0 : kTextLine + kGap;
  const Index top = kMargin + head + written_width(it.columns) + kGap;
  const Index right = left + static_cast<Index>(it.columns.size()) * kCell;
  const Index bottom = top + static_cast<Index>(it.rows.size()) * kCell;
  const std::string key = fmt::format("full shade: {:.3g}", it.largest);
  const Index width =
      std::max({right, kMargin + written_width(it.title), kMargin + written_width(key)});
  Picture out(width + kMargin, bottom + kGap + kTextLine + kMargin, kWhite);

  write_text(&out, kMargin, kMargin, it.title);
  write_text(&out, kMargin, bottom + kGap, key);
  out.fill(left, top, right - left + 1, bottom - top + 1, kGrid);
  for (Index x = left; const std::string& word : it.columns) {
    write_text(&out, x, top - kGap, word, Written::upwards);
    x += kCell;
  }
  Index y = top;
  for (std::size_t row = 0; row < it.rows.size(); ++row, y += kCell) {
    write_text(&out, left - kGap - written_width(it.rows[row]), y, it.rows[row]);
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
