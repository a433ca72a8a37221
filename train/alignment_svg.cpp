#include "alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "drawn_alignment.h"
#include "markup.h"

namespace heed::train {
namespace {

constexpr std::size_t kLongest = 24;
constexpr double kCell = 24, kMargin = 14, kGap = 7, kTitle = 26, kFoot = 28;
constexpr double kLetter = 7.6;    // at 13 px, wide enough for most words in most fonts
constexpr double kSlant = 0.7072;  // of 45 degrees

constexpr const char* kStyle =
    "<style>.ha{font:13px system-ui,sans-serif}.ha text{fill:#1f2328}.ha .t{font-size:15px;"
    "font-weight:600}.ha .k{fill:#5b6470}.ha .b{fill:#fff}.ha .c{fill:#a84300;stroke:#dde1e6}"
    ".ha .c rect:hover{stroke:#2f7fd6;stroke-width:2}"
    "@media(prefers-color-scheme:dark){.ha text{fill:#e6edf3}.ha .k{fill:#9aa4af}"
    ".ha .b{fill:#1b1f25}.ha .c{fill:#ffb45c;stroke:#363e47}}</style>";

}  // namespace

std::string alignment_svg(const Alignment& alignment) {
  const DrawnAlignment it = drawn("alignment_svg", alignment, kLongest);
  const double title = it.title.empty() ? 0 : kTitle;
  const double left = kMargin + kLetter * static_cast<double>(display_width(it.rows)) + kGap;
  const double slanted = kSlant * (kLetter * static_cast<double>(display_width(it.columns)) + 13);
  const double top = kMargin + title + slanted + kGap;
  const double right = left + kCell * static_cast<double>(it.columns.size()) + slanted;
  const double bottom = top + kCell * static_cast<double>(it.rows.size());
  const double title_end = kMargin + 9 * static_cast<double>(display_width(it.title));

  std::string out = fmt::format(
      R"(<svg class="ha" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" )"
      R"(width="{0:.0f}" height="{1:.0f}" role="img">)"
      R"(<title>{2}</title>{3}<rect class="b" width="100%" height="100%"/>)"
      R"(<text class="t" x="{4}" y="{5}">{2}</text>)"
      R"(<text class="k" x="{4}" y="{6:.1f}">full shade: {7:.3g}</text>)"
      "\n",
      std::max({right, title_end, 160.0}) + kMargin, bottom + kFoot + kMargin,
      escape_markup(it.title), kStyle, kMargin, kMargin + 15, bottom + kFoot, it.largest);
  double x = left;
  for (const std::string& word : it.columns) {
    out += fmt::format(R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-45)">{}</text>)svg"
                       "\n",
                       x + kCell / 2 + 3, top - kGap, escape_markup(word));
    x += kCell;
  }
  for (std::size_t row = 0; row < it.rows.size(); ++row) {
    const double y = top + kCell * static_cast<double>(row);
    const std::string word = escape_markup(it.rows[row]);
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text><g class="c">)"
                       "\n",
                       left - kGap, y + kCell / 2 + 4.5, word);
    x = left;
    for (std::size_t column = 0; column < it.columns.size(); ++column) {
      out += fmt::format(
          R"(<rect x="{0:.1f}" y="{1:.1f}" width="{2}" height="{2}" fill-opacity="{3:.3f}">)"
          "<title>{4} – {5}: {6:.3g}</title></rect>\n",
          x, y, kCell, it.share(row, column), word, escape_markup(it.columns[column]),
          it.weight(row, column));
      x += kCell;
    }
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace heed::train
