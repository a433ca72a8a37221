#include "token_stream.h"

#include <fmt/format.h>

#include <initializer_list>

#include "../core/error.h"

namespace heed::data {
namespace {

void check_positive(const char* op, std::initializer_list<std::pair<const char*, Index>> numbers) {
  for (const auto& [name, number] : numbers) {
    if (number <= 0) throw ValueError(fmt::format("{}: {} {} must be positive", op, name, number));
  }
}

void check_mark(const char* op, Index mark) {
  if (mark < 0) throw ValueError(fmt::format("{}: end_mark {} must be a token", op, mark));
}

}  // namespace

void check_windows(const WindowOptions& options) {
  check_positive("windows",
                 {{"rows", options.rows}, {"length", options.length}, {"buffer", options.buffer}});
  check_mark("windows", options.end_mark);
  check_parts("windows", options.parts, "rows", options.rows);
}

void check_documents(const DocumentOptions& options) {
  check_positive("documents", {{"tokens", options.tokens}, {"buffer", options.buffer}});
  check_parts("documents", options.parts, "tokens", options.tokens);
  const Index most = options.tokens / options.parts;
  if (options.longest < 0 || options.longest > most) {
    throw ValueError(
        fmt::format("documents: longest {} must be in [0, tokens {}]", options.longest, most));
  }
  check_mark("documents", options.end_mark);
}

PackedDocuments part_of(const PackedDocuments& batch, Index begin, Index end) {
  const auto first = batch.offsets.begin() + begin, last = batch.offsets.begin() + end;
  PackedDocuments out{batch.inputs.slice(0, *first, *last),
                      batch.targets.slice(0, *first, *last),
                      {first, last + 1}};
  for (Index& offset : out.offsets) offset -= *first;
  return out;
}

PackedDocuments packed_lines(const std::vector<Index>& text, const std::vector<LinePlaces>& lines) {
  std::vector<Index> inputs, targets, offsets{0};
  for (const auto& [begin, end] : lines) {
    const auto first = text.begin() + begin, last = text.begin() + end;
    inputs.insert(inputs.end(), first - 1, last - 1);
    targets.insert(targets.end(), first, last);
    offsets.push_back(std::ssize(targets));
  }
  return {Array::from(inputs), Array::from(targets), std::move(offsets)};
}

namespace detail {

Windows windows_of(const TokenLists& rows) {
  std::vector<std::int64_t> inputs, targets;
  for (const auto& row : rows) {
    inputs.insert(inputs.end(), row.begin(), row.end() - 1);
    targets.insert(targets.end(), row.begin() + 1, row.end());
  }
  const Shape shape{std::ssize(rows), std::ssize(rows.front()) - 1};
  return {Array::from(inputs, shape), Array::from(targets, shape)};
}

PackedDocuments documents_of(const TokenLists& rows) {
  std::vector<std::int64_t> inputs, targets;
  std::vector<Index> offsets{0};
  for (const auto& row : rows) {
    inputs.insert(inputs.end(), row.begin(), row.end() - 1);
    targets.insert(targets.end(), row.begin() + 1, row.end());
    offsets.push_back(std::ssize(inputs));
  }
  return {Array::from(inputs), Array::from(targets), std::move(offsets)};
}

}  // namespace detail

}  // namespace heed::data
