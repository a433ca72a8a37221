#include "attended_text.h"

#include <algorithm>
#include <cmath>

namespace heed::train {
namespace {

double product(const AttendedSentence& sentence, const AttendedWord& word) {
  const double share = sentence.weight * word.weight;
  return std::isfinite(share) && sentence.weight > 0.0 && word.weight > 0.0 ? share : 0.0;
}

// Scripts written without blanks lie, but for rare signs, at U+2E80 to U+9FFF (Korean follows
// later) and at U+FF00 to U+FF65: three bytes, E2 BA 80 to E9 BF BF, and EF BC 80 to EF BD A5.
bool is_unspaced(std::string_view three_bytes) {
  return (three_bytes >= "\xe2\xba\x80" && three_bytes <= "\xe9\xbf\xbf") ||
         (three_bytes >= "\xef\xbc\x80" && three_bytes <= "\xef\xbd\xa5");
}

bool is_one_of(std::string_view token, const char* marks) {
  return token.size() == 1 && std::string_view(marks).find(token) != std::string_view::npos;
}

}  // namespace

double largest_share(const AttendedText& text) {
  double largest = 0.0;
  for (const AttendedSentence& sentence : text) {
    for (const AttendedWord& word : sentence.words)
      largest = std::max(largest, product(sentence, word));
  }
  return largest;
}

double shade_of(const AttendedSentence& sentence, const AttendedWord& word, double largest) {
  return largest > 0.0 ? std::clamp(product(sentence, word) / largest, 0.0, 1.0) : 0.0;
}

bool space_between(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty()) return false;
  if (is_one_of(right, ".,;:!?)]}%") || is_one_of(left, "([{")) return false;
  if (right[0] == '\'' && right.size() > 1) return false;
  return left.size() < 3 || !is_unspaced(left.substr(left.size() - 3)) ||
         !is_unspaced(right.substr(0, 3));
}

}  // namespace heed::train
