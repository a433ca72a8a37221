#include "rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"

namespace heed::attention::detail {

RuleTable::RuleTable(const Tensor& x) {
  if (!x.defined() || (x.dtype() != DType::i64 && x.dtype() != DType::boolean)) {
    throw DTypeError(fmt::format("mask: a rule captures i64 or bool, not {}", describe(x)));
  }
  if (x.rank() == 0)
    throw ShapeError("mask: a rule captures tensors with axes, not " + describe(x));
  numbers_ = x.array().to(DType::i64).contiguous();
  data_ = numbers_.data<Index>();
  rank_ = numbers_.rank();
  size_ = numbers_.size(0);
  version_ = numbers_.version();
  for (Index first = 0; first + kRun <= numbers_.numel(); first += kRun) {
    const auto [least, most] = std::minmax_element(data_ + first, data_ + first + kRun);
    runs_.emplace_back(*least, *most);
  }
}

// The least and the most of numbers begin .. end - 1, by whole runs where they lie within and
// nothing was written since.
Interval RuleTable::over_run(Index begin, Index end) const {
  Interval out(Interval::kMost, Interval::kLeast);
  const auto take = [&](const Interval& x) {
    out = {std::min(out.low, x.low), std::max(out.high, x.high)};
  };
  const bool as_before = numbers_.version() == version_ && !numbers_.exposed();
  while (begin < end) {
    if (as_before && begin % kRun == 0 && begin + kRun <= end) {
      take(runs_[static_cast<std::size_t>(begin / kRun)]);
      begin += kRun;
    } else {
      take(data_[begin++]);
    }
  }
  return out;
}

std::pair<Index, Index> RuleTable::begin_of(std::size_t count, Index batch) const {
  const auto places = static_cast<Index>(count);
  if (places == rank_) return {0, 0};
  if (places + 1 != rank_) {
    throw ShapeError(fmt::format("mask: a rule reads {} at {} places",
                                 heed::to_string(numbers_.shape()), count));
  }
  if (size_ == 1) return {0, 1};
  if (batch >= size_) {
    throw ShapeError(fmt::format("mask: a rule reads row {} of the batch in {}", batch,
                                 heed::to_string(numbers_.shape())));
  }
  return {batch * (numbers_.numel() / size_), 1};
}

Index RuleTable::slowly_at(const Index* places, std::size_t count, Index batch) const {
  auto [begin, axis] = begin_of(count, batch);
  Index place = 0;
  for (std::size_t i = 0; i < count; ++i, ++axis) {
    const Index size = numbers_.size(axis);
    if (places[i] < 0 || places[i] >= size) {
      throw IndexError(fmt::format("mask: a rule reads place {} of {} in {}", places[i], size,
                                   heed::to_string(numbers_.shape())));
    }
    place = place * size + places[i];
  }
  return data_[begin + place];
}

Interval RuleTable::over(const Interval* places, std::size_t count, Index batch) const {
  auto [begin, axis] = begin_of(count, batch);
  Index numbers = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Index size = numbers_.size(axis + static_cast<Index>(i));
    if (places[i].low < 0 || places[i].high >= size) return Interval::all();
    numbers *= places[i].high - places[i].low + 1;
  }
  if (count == 1) {
    return over_run(begin + places[0].low, begin + places[0].high + 1);
  }
  if (numbers > (1 << 16)) return Interval::all();  // nobody asks of so much at once
  Interval out(Interval::kMost, Interval::kLeast);
  for (Index n = 0; n < numbers; ++n) {
    Index rest = n, place = 0, apart = 1;
    for (std::size_t i = count; i-- > 0;) {
      const Index span = places[i].high - places[i].low + 1;
      place += (places[i].low + rest % span) * apart;
      rest /= span;
      apart *= numbers_.size(axis + static_cast<Index>(i));
    }
    const Index number = data_[begin + place];
    out = {std::min(out.low, number), std::max(out.high, number)};
  }
  return out;
}

}  // namespace heed::attention::detail
