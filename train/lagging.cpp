#include "lagging.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../core/error.h"

namespace heed::train {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const std::vector<Index>& read, Index source) {
  if (source <= 0) throw ValueError(fmt::format("lagging: a source of {} words", source));
  Index before = 0;
  for (const Index g : read) {
    if (g < before || g > source) {
      throw ValueError(fmt::format("lagging: {} words read after {}, of {}", g, before, source));
    }
    before = g;
  }
}

double number(Index x) { return static_cast<double>(x); }

}  // namespace

double average_lagging(const std::vector<Index>& read, Index source, Index target) {
  check(read, source);
  if (target < 0) throw ValueError(fmt::format("lagging: a target of {} words", target));
  if (read.empty()) return kNaN;
  const double advance = number(source) / number(target > 0 ? target : std::ssize(read));
  double total = 0, words = 0;
  for (const Index g : read) {
    total += number(g) - words * advance;
    ++words;
    if (g == source) break;
  }
  return total / words;
}

double average_proportion(const std::vector<Index>& read, Index source) {
  check(read, source);
  if (read.empty()) return kNaN;
  double total = 0;
  for (const Index g : read) total += number(g);
  return total / (number(source) * number(std::ssize(read)));
}

double differentiable_average_lagging(const std::vector<Index>& read, Index source) {
  check(read, source);
  if (read.empty()) return kNaN;
  const double advance = number(source) / number(std::ssize(read));
  double total = 0, words = 0, at = 0;
  for (const Index g : read) {
    at = words == 0 ? number(g) : std::max(number(g), at + advance);
    total += at - words * advance;
    ++words;
  }
  return total / words;
}

}  // namespace heed::train
