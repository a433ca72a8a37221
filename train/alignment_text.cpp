#include "alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "../data/utf8.h"
#include "attended_text.h"
#include "drawn_alignment.h"

namespace heed::train {
namespace {

constexpr std::size_t kLineWidth = 100, kLongest = 16;
constexpr double kFaintest = 0.05;

void append_label(std::string& out, const std::string& word, std::size_t width) {
  out.append(width - display_width(word), ' ');
  out += word;
  out += "  ";
}

// The column words at each row word, shaded by what it gives them.
void append_shaded_lines(std::string& out, const DrawnAlignment& it, std::size_t label,
                         ShadeStyle style) {
  for (std::size_t row = 0; row < it.rows.size(); ++row) {
    AttendedSentence line;
    line.weight = 1.0;
    for (std::size_t column = 0; column < it.columns.size(); ++column) {
      line.words.push_back({it.columns[column], it.weight(row, column)});
    }
    append_label(out, it.rows[row], label);
    out += shade(line, it.largest, style);
    out += '\n';
  }
}

const char* block(double share) {
  if (share < kFaintest) return nullptr;
  constexpr const char* kBlocks[] = {"░", "▒", "▓", "█"};
  return kBlocks[std::min(static_cast<std::size_t>(4 * share), std::size_t{3})];
}

void end_line(std::string& out) {
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

// The bytes of the letter that begins at `at`, the marks behind it included.
std::string_view letter_at(std::string_view word, std::size_t at) {
  std::size_t end = at;
  while (end < word.size()) {
    const std::size_t length = data::decode_utf8(word, end).length;
    if (end > at && display_width(word.substr(end, length)) > 0) break;
    end += length;
  }
  return word.substr(at, end - at);
}

std::size_t count_letters(std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < word.size(); ++count) at += letter_at(word, at).size();
  return count;
}

// The column words downwards, ending at the matrix.
void append_head(std::string& out, const DrawnAlignment& it, std::size_t label, std::size_t cell) {
  std::size_t height = 0;
  for (const std::string& word : it.columns) height = std::max(height, count_letters(word));
  std::vector<std::size_t> places(it.columns.size());  // the letters before are written
  for (std::size_t left = height; left > 0; --left) {
    out.append(label + 2, ' ');
    for (std::size_t column = 0; column < places.size(); ++column) {
      const std::string_view rest = std::string_view(it.columns[column]).substr(places[column]);
      const std::string_view letter = count_letters(rest) < left ? "" : letter_at(rest, 0);
      places[column] += letter.size();
      out += letter;
      const std::size_t width = display_width(letter);
      if (width < cell) out.append(cell - width, ' ');
    }
    end_line(out);
  }
}

void append_blocks(std::string& out, const DrawnAlignment& it, std::size_t label) {
  const bool narrow = label + 2 + 2 * it.columns.size() > kLineWidth;
  append_head(out, it, label, narrow ? 1 : 2);
  for (std::size_t row = 0; row < it.rows.size(); ++row) {
    append_label(out, it.rows[row], label);
    for (std::size_t column = 0; column < it.columns.size(); ++column) {
      const char* shade = block(it.share(row, column));
      out += shade ? shade : "·";
      if (!narrow) out += shade ? shade : " ";
    }
    end_line(out);
  }
  out.append(label + 2, ' ');
  out += fmt::format("░▒▓█ quarters of {:.3g}\n", it.largest);
}

}  // namespace

std::string alignment_text(const Alignment& alignment, ShadeStyle style) {
  const DrawnAlignment it = drawn("alignment_text", alignment, kLongest);
  const std::size_t label = display_width(it.rows);
  std::size_t width = label + 1;
  for (const std::string& word : it.columns) width += 1 + display_width(word);
  std::string out = it.title;
  if (!out.empty()) out += '\n';
  if (style != ShadeStyle::marks && width <= kLineWidth) {
    append_shaded_lines(out, it, label, style);
  } else {
    append_blocks(out, it, label);
  }
  return out;
}

}  // namespace heed::train
