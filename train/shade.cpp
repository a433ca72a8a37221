#include "shade.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "../data/utf8.h"
#include "percent.h"

namespace heed::train {
namespace {

constexpr double kFaintest = 0.04;  // below this, no shade

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Drops C0, DEL and C1. Works on characters: what is dropped must not join bytes around it into
// another command, nor may bare bytes of C1 reach a terminal that takes them for one.
std::string printable(std::string_view word) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const data::Decoded c = data::decode_utf8(word, at);
    at += c.length;
    if (c.code >= 0x20 && (c.code < 0x7F || c.code >= 0xA0)) data::append_utf8(out, c.code);
  }
  return out;
}

std::string shaded(const std::string& word, double share, ShadeStyle style) {
  if (style == ShadeStyle::marks) {
    if (share >= 2.0 / 3.0) return "[[" + word + "]]";
    return share >= 1.0 / 3.0 ? "[" + word + "]" : word;
  }
  if (share < kFaintest) return word;
  // Black on a background from pale to full orange reads on dark and light terminals alike.
  if (style == ShadeStyle::true_colour) {
    const auto blend = [share](int pale, int full) {
      return static_cast<int>(std::lround(pale + share * (full - pale)));
    };
    return fmt::format("\x1b[30;48;2;{};{};{}m{}\x1b[0m", blend(255, 255), blend(243, 140),
                       blend(224, 0), word);
  }
  constexpr int kSteps[] = {230, 223, 222, 215, 214, 208};
  const auto step = std::min(static_cast<std::size_t>(share * 6), std::size_t{5});
  return fmt::format("\x1b[30;48;5;{}m{}\x1b[0m", kSteps[step], word);
}

}  // namespace

bool is_terminal(std::FILE* out) {
  const int descriptor = out ? ::fileno(out) : -1;
  const std::string_view term = environment("TERM");
  return descriptor >= 0 && ::isatty(descriptor) == 1 && !term.empty() && term != "dumb";
}

ShadeStyle detect_shade_style(std::FILE* out) {
  if (!is_terminal(out) || !environment("NO_COLOR").empty()) return ShadeStyle::marks;
  const std::string_view colours = environment("COLORTERM");
  return colours == "truecolor" || colours == "24bit" ? ShadeStyle::true_colour
                                                      : ShadeStyle::colours256;
}

std::string shade(const AttendedSentence& sentence, double largest, ShadeStyle style) {
  std::string out;
  std::string_view previous;
  for (const AttendedWord& word : sentence.words) {
    if (space_between(previous, word.text)) out += ' ';
    out += shaded(printable(word.text), shade_of(sentence, word, largest), style);
    previous = word.text;
  }
  return out;
}

std::string shade(const AttendedText& text, ShadeStyle style) {
  const double largest = largest_share(text);
  std::string out;
  for (const AttendedSentence& sentence : text) {
    out += fmt::format("{:>3}% {} {}\n", percent(sentence.weight, 0), sentence.evidence ? '*' : ' ',
                       shade(sentence, largest, style));
  }
  return out;
}

}  // namespace heed::train
