#include "batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../core/error.h"

namespace heed::data {
namespace {

std::vector<std::vector<Index>> cut_sorted(const std::vector<LengthKey>& lengths, Index batch_size,
                                           std::vector<Index> order) {
  if (batch_size <= 0) {
    throw ValueError(fmt::format("batches_by_length: batch size {} must be positive", batch_size));
  }
  const auto length = [&](Index i) { return lengths[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return length(a) < length(b); });
  std::vector<std::vector<Index>> batches;
  const auto count = static_cast<Index>(order.size());
  for (Index begin = 0; begin < count;) {
    const Index end = begin + std::min(batch_size, count - begin);
    batches.emplace_back(order.begin() + begin, order.begin() + end);
    begin = end;
  }
  return batches;
}

// How far two lengths of one batch may lie apart beside what is needed.
constexpr double kJitter = 2;

void check_tokens(const char* op, Index tokens) {
  if (tokens <= 0) throw ValueError(fmt::format("{}: tokens {} must be positive", op, tokens));
}

std::vector<Index> order_of(std::size_t count, Generator* generator) {
  if (generator) return generator->permutation(static_cast<Index>(count));
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace

Split split(Index count, double fraction, Generator& generator) {
  if (count < 0) throw ValueError(fmt::format("split: count {} must not be negative", count));
  if (!(fraction >= 0 && fraction < 1)) {
    throw ValueError(fmt::format("split: fraction {} must be in [0, 1)", fraction));
  }
  Index held = std::llround(static_cast<double>(count) * fraction);
  if (count >= 2 && fraction > 0) held = std::clamp(held, Index{1}, count - 1);
  const std::vector<Index> order = generator.permutation(count);
  Split out{{order.begin() + held, order.end()}, {order.begin(), order.begin() + held}};
  std::sort(out.rest.begin(), out.rest.end());
  std::sort(out.held_out.begin(), out.held_out.end());
  return out;
}

std::vector<std::vector<Index>> batches_by_length(const std::vector<LengthKey>& lengths,
                                                  Index batch_size, Generator& generator) {
  auto sorted =
      cut_sorted(lengths, batch_size, generator.permutation(static_cast<Index>(lengths.size())));
  std::vector<std::vector<Index>> batches;
  batches.reserve(sorted.size());
  for (const Index i : generator.permutation(static_cast<Index>(sorted.size()))) {
    batches.push_back(std::move(sorted[static_cast<std::size_t>(i)]));
  }
  return batches;
}

std::vector<std::vector<Index>> batches_by_length(const std::vector<LengthKey>& lengths,
                                                  Index batch_size) {
  std::vector<Index> order(lengths.size());
  std::iota(order.begin(), order.end(), Index{0});
  return cut_sorted(lengths, batch_size, std::move(order));
}

std::vector<std::vector<Index>> batches_by_tokens(const std::vector<LengthKey>& lengths,
                                                  Index tokens, Generator* generator) {
  check_tokens("batches_by_tokens", tokens);
  std::vector<Index> order = order_of(lengths.size(), generator);
  std::vector<std::pair<double, double>> keys;
  for (const auto& [first, second] : lengths) {
    const double jitter = generator ? kJitter * generator->uniform() : 0;
    keys.emplace_back(static_cast<double>(first) + jitter, static_cast<double>(second));
  }
  std::stable_sort(order.begin(), order.end(), [&keys](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<Index>> sorted;
  Index longest = 0;
  for (const Index i : order) {
    const Index length = lengths[static_cast<std::size_t>(i)].first;
    longest = std::max(longest, length);
    if (sorted.empty() || (static_cast<Index>(sorted.back().size()) + 1) * longest > tokens) {
      sorted.emplace_back();
      longest = length;
    }
    sorted.back().push_back(i);
  }
  std::vector<std::vector<Index>> batches;
  for (const Index i : order_of(sorted.size(), generator)) {
    batches.push_back(std::move(sorted[static_cast<std::size_t>(i)]));
  }
  return batches;
}

std::vector<std::vector<Index>> batches_packed(const std::vector<LengthKey>& lengths, Index tokens,
                                               Generator* generator) {
  check_tokens("batches_packed", tokens);
  std::vector<std::vector<Index>> batches;
  Index sum = 0;
  for (const Index i : order_of(lengths.size(), generator)) {
    const Index length = lengths[static_cast<std::size_t>(i)].first;
    if (batches.empty() || length > tokens - sum) {
      batches.emplace_back();
      sum = 0;
    }
    batches.back().push_back(i);
    sum += length;
  }
  return batches;
}

Padded pad(const std::vector<std::vector<Index>>& rows, Index padding) {
  if (rows.empty()) throw ValueError("pad: there are no rows");
  Padded out;
  Index longest = 0;
  for (const auto& row : rows) {
    out.lengths.push_back(static_cast<Index>(row.size()));
    longest = std::max(longest, out.lengths.back());
  }
  out.ids = Array::empty(Shape{static_cast<Index>(rows.size()), longest}, DType::i64);
  Index* to = out.ids.mutable_data<Index>();
  for (const auto& row : rows) {
    std::fill(std::copy(row.begin(), row.end(), to), to + longest, padding);
    to += longest;
  }
  return out;
}

}  // namespace heed::data
