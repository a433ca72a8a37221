#include "windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"

namespace language_model {

using heed::Array;
using heed::Shape;
using heed::ValueError;

namespace {

Batch cut(const std::vector<Index>& text, const std::vector<Index>& starts, Index length) {
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

Batch random_windows(const std::vector<Index>& text, Index count, Index context,
                     heed::Generator& generator) {
  const Index places = static_cast<Index>(text.size()) - context;
  if (places <= 0) {
    throw ValueError(fmt::format("windows: a context of {} needs more than the text's {} tokens",
                                 context, text.size()));
  }
  std::vector<Index> starts(static_cast<std::size_t>(count));
  for (Index& start : starts) start = generator.below(places);
  return cut(text, starts, context);
}

std::vector<Line> lines_of(const std::vector<Index>& text, Index end_mark, Index context) {
  std::vector<Line> out;
  auto mark = std::find(text.begin(), text.end(), end_mark);
  while (mark != text.end()) {
    const auto next = std::find(mark + 1, text.end(), end_mark);
    const Index begin = mark - text.begin() + 1;
    const Index end = next == text.end() ? next - text.begin() : next - text.begin() + 1;
    for (Index first = begin; first < end; first += context) {
      out.push_back({first, std::min(end, first + context)});
    }
    mark = next;
  }
  return out;
}

PackedBatch packed_lines(const std::vector<Index>& text, const std::vector<Line>& lines) {
  std::vector<std::int64_t> inputs, targets;
  std::vector<Index> lengths;
  for (const auto& [begin, end] : lines) {
    const auto first = text.begin() + begin, last = text.begin() + end;
    inputs.insert(inputs.end(), first - 1, last - 1);
    targets.insert(targets.end(), first, last);
    lengths.push_back(end - begin);
  }
  return {{Array::from(inputs), heed::offsets_of(lengths)}, Array::from(targets)};
}

std::vector<Line> random_lines(const std::vector<Line>& lines, Index tokens,
                               heed::Generator& generator) {
  if (lines.empty()) throw ValueError("lines: the text has no line behind its first");
  std::vector<Line> out;
  for (Index count = 0; count < tokens; count += out.back().end - out.back().begin) {
    const Index drawn = generator.below(static_cast<Index>(lines.size()));
    out.push_back(lines[static_cast<std::size_t>(drawn)]);
  }
  return out;
}

std::vector<Batch> all_windows(const std::vector<Index>& text, Index count, Index context) {
  if (text.size() < 2) {
    throw ValueError(fmt::format("windows: {} tokens hold nothing to predict", text.size()));
  }
  const Index targets = static_cast<Index>(text.size()) - 1;
  const Index whole = targets / context;
  std::vector<Batch> out;
  for (Index begin = 0; begin < whole; begin += count) {
    std::vector<Index> starts;
    for (Index i = begin; i < std::min(whole, begin + count); ++i) starts.push_back(i * context);
    out.push_back(cut(text, starts, context));
  }
  if (targets % context != 0) out.push_back(cut(text, {whole * context}, targets % context));
  return out;
}

}  // namespace language_model
