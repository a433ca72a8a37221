#include "windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::data {

namespace {

void check_positive(const char* op, const char* what, Index value) {
  if (value <= 0) throw ValueError(fmt::format("{}: {} {} must be positive", op, what, value));
}

Windows cut(const std::vector<Index>& text, const std::vector<Index>& starts, Index length) {
  std::vector<std::int64_t> inputs, targets;
  for (const Index start : starts) {
    const auto first = text.begin() + start;
    inputs.insert(inputs.end(), first, first + length);
    targets.insert(targets.end(), first + 1, first + 1 + length);
  }
  const Shape shape{static_cast<Index>(starts.size()), length};
  return {Array::from(inputs, shape), Array::from(targets, shape)};
}

}  // namespace

Windows random_windows(const std::vector<Index>& text, Index count, Index length,
                       Generator& generator) {
  check_positive("windows", "count", count);
  check_positive("windows", "length", length);
  const Index places = static_cast<Index>(text.size()) - length;
  if (places <= 0) {
    throw ValueError(fmt::format("windows: a length of {} needs more than the text's {} tokens",
                                 length, text.size()));
  }
  std::vector<Index> starts(static_cast<std::size_t>(count));
  for (Index& start : starts) start = generator.below(places);
  return cut(text, starts, length);
}

Streams side_by_side(const std::vector<Index>& text, Index rows, Index length) {
  check_positive("windows", "rows", rows);
  check_positive("windows", "length", length);
  const Index tokens = static_cast<Index>(text.size()) - 1, each = tokens / rows;
  if (each <= 0) {
    throw ValueError(fmt::format("windows: {} tokens are too few for {} rows", text.size(), rows));
  }
  Streams out;
  for (Index first = 0; first < each; first += length) {
    std::vector<Index> starts;
    for (Index r = 0; r < rows; ++r) starts.push_back(r * each + first);
    out.batches.push_back(cut(text, starts, std::min(length, each - first)));
  }
  if (const Index read = rows * each; read < tokens) {
    out.rest.push_back(cut(text, {read}, tokens - read));
  }
  return out;
}

std::vector<LinePlaces> lines_of(const std::vector<Index>& text, Index end_mark, Index longest) {
  check_positive("lines", "longest", longest);
  std::vector<LinePlaces> out;
  auto mark = std::find(text.begin(), text.end(), end_mark);
  while (mark != text.end()) {
    const auto next = std::find(mark + 1, text.end(), end_mark);
    const Index begin = mark - text.begin() + 1;
    const Index end = next == text.end() ? next - text.begin() : next - text.begin() + 1;
    for (Index first = begin; first < end; first += longest) {
      out.push_back({first, std::min(end, first + longest)});
    }
    mark = next;
  }
  return out;
}

std::vector<LinePlaces> random_lines(const std::vector<LinePlaces>& lines, Index tokens,
                                     Generator& generator) {
  if (lines.empty()) throw ValueError("lines: the text has no line behind its first");
  std::vector<LinePlaces> out;
  for (Index count = 0; count < tokens; count += out.back().end - out.back().begin) {
    const Index drawn = generator.below(static_cast<Index>(lines.size()));
    out.push_back(lines[static_cast<std::size_t>(drawn)]);
  }
  return out;
}

std::vector<Windows> all_windows(const std::vector<Index>& text, Index count, Index length) {
  check_positive("windows", "count", count);
  check_positive("windows", "length", length);
  if (text.size() < 2) {
    throw ValueError(fmt::format("windows: {} tokens hold nothing to predict", text.size()));
  }
  const Index targets = static_cast<Index>(text.size()) - 1;
  const Index whole = targets / length;
  std::vector<Windows> out;
  for (Index begin = 0; begin < whole; begin += count) {
    std::vector<Index> starts;
    for (Index i = begin; i < std::min(whole, begin + count); ++i) starts.push_back(i * length);
    out.push_back(cut(text, starts, length));
  }
  if (targets % length != 0) out.push_back(cut(text, {whole * length}, targets % length));
  return out;
}

}  // namespace heed::data
