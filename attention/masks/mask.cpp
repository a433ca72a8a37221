#include "mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/traced.h"
#include "combined.h"

namespace heed::attention {
namespace {

void check_bool(const char* what, const Tensor& mask) {
  if (mask.defined() && mask.dtype() == DType::boolean) return;
  throw DTypeError(
      fmt::format("mask: {} takes bool (true: may attend), not {}", what, describe(mask)));
}

Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? logical_and(a, b) : a;
}

// The narrower of two sides of a window, of which -1 has no end.
Index narrower(Index a, Index b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

// bool [B, 1 .., K] from [B, K], to stand beside scores of `rank`.
Tensor beside(const Tensor& keys, Index rank) {
  Shape shape{keys.size(0)};
  for (Index axis = 2; axis < rank; ++axis) shape.push_back(1);
  shape.push_back(keys.size(1));
  return reshape(keys, shape);
}

Tensor first_places(const std::vector<Index>& lengths, Index steps) {
  if (traced()) return arange(steps) < unsqueeze(Tensor(Array::from(lengths)), 1);
  const auto rows = static_cast<Index>(lengths.size());
  Array allowed = Array::zeros(Shape{rows, steps}, DType::boolean);
  bool* to = allowed.mutable_data<bool>();
  for (Index row = 0; row < rows; ++row) {
    std::fill_n(to + row * steps, lengths[static_cast<std::size_t>(row)], true);
  }
  return allowed;
}

}  // namespace

Mask::Mask(Tensor allowed) : allowed_(std::move(allowed)) { check_bool("Mask", allowed_); }

Mask Mask::causal() {
  Mask mask;
  mask.right_ = 0;
  return mask;
}

Mask Mask::window(Index left, Index right) {
  if (left < 0 || right < 0) {
    throw ValueError(
        fmt::format("mask: window: left {} and right {} must not be negative", left, right));
  }
  constexpr Index kWidest = std::numeric_limits<Index>::max() / 4;  // places plus it stay in range
  Mask mask;
  mask.left_ = std::min(left, kWidest);
  mask.right_ = std::min(right, kWidest);
  return mask;
}

Mask Mask::block(Index size) {
  if (size <= 0) throw ValueError(fmt::format("mask: block: size {} must be positive", size));
  Mask mask;
  mask.blocks_ = {size};
  return mask;
}

Mask Mask::lengths(const std::vector<Index>& lengths, Index steps) {
  if (steps < 0)
    throw ShapeError(fmt::format("mask: lengths: steps {} must not be negative", steps));
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] >= 0 && lengths[row] <= steps) continue;
    throw ShapeError(
        fmt::format("mask: length {} of row {} is not in [0, {}]", lengths[row], row, steps));
  }
  Mask mask;
  mask.lengths_ = lengths;
  mask.steps_ = steps;
  return mask;
}

Mask Mask::segments(const std::vector<Index>& offsets) {
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) {
    throw ValueError(fmt::format("mask: segments: {} offsets{} must begin at 0 and not fall",
                                 offsets.size(),
                                 offsets.empty() ? "" : fmt::format(" from {}", offsets.front())));
  }
  Mask mask;
  mask.segments_ = offsets;
  return mask;
}

Mask Mask::segments(const std::vector<Index>& queries, const std::vector<Index>& keys) {
  const auto numbers = [](const std::vector<Index>& offsets) {  // of the segments, by place
    const Mask checked = segments(offsets);
    std::vector<Index> out;
    for (std::size_t s = 1; s < offsets.size(); ++s) {
      out.resize(static_cast<std::size_t>(offsets[s]), static_cast<Index>(s) - 1);
    }
    return out;
  };
  if (queries.size() != keys.size()) {
    throw ValueError(fmt::format("mask: segments: {} of queries and {} of keys", queries.size() - 1,
                                 keys.size() - 1));
  }
  const auto of_queries = numbers(queries), of_keys = numbers(keys);
  if (of_queries.empty() || of_keys.empty()) return !Mask();
  const Index ahead = keys.back() - queries.back();  // query i stands at place i + K - Q
  return rule([ahead](auto q, auto k, auto query, auto key) { return query(q - ahead) == key(k); },
              Tensor(Array::from(of_queries)), Tensor(Array::from(of_keys)));
}

Mask Mask::of(std::shared_ptr<const TileRule> rule) {
  Mask mask;
  mask.rule_ = std::move(rule);
  return mask;
}

Mask Mask::key_padding(Tensor real) {
  check_bool("key_padding", real);
  if (real.rank() != 2) {
    throw ShapeError(fmt::format("mask: key_padding takes [B, steps], not {}", describe(real)));
  }
  Mask mask;
  mask.keys_ = std::move(real);
  return mask;
}

bool Mask::all() const {
  return left_ < 0 && right_ < 0 && blocks_.empty() && !has_lengths() && !keys_.defined() &&
         !allowed_.defined() && segments_.empty() && rule_ == nullptr;
}

void Mask::check(const Shape& scores, const char* op) const {
  const Index rank = scores.rank();
  if (rank < 2) {
    throw ShapeError(
        fmt::format("{}: a mask needs two axes; scores are {}", op, heed::to_string(scores)));
  }
  const auto fits = [&](Index rows, Index steps, const char* what) {
    if ((rows == scores[0] || rows == 1) && steps == scores[rank - 1]) return;
    throw ShapeError(fmt::format("{}: the mask's {} of [{}, {}] do not fit scores {}", op, what,
                                 rows, steps, heed::to_string(scores)));
  };
  if (has_lengths()) fits(static_cast<Index>(lengths_.size()), steps_, "lengths");
  if (keys_.defined()) fits(keys_.size(0), keys_.size(1), "keys");
  if (rule_ != nullptr) rule_->check(op, scores);
  if (!segments_.empty() && segments_.back() != scores[rank - 1]) {
    throw ShapeError(fmt::format("{}: the mask's segments end at {}, scores are {}", op,
                                 segments_.back(), heed::to_string(scores)));
  }
  if (allowed_.defined()) {
    const Shape& own = allowed_.shape();
    bool broadcasts = own.rank() <= rank;
    for (Index axis = 1; broadcasts && axis <= own.rank(); ++axis) {
      const Index size = own[own.rank() - axis];
      broadcasts = size == 1 || size == scores[rank - axis];
    }
    if (!broadcasts) {
      throw ShapeError(fmt::format("{}: mask {} does not broadcast to scores {}", op,
                                   describe(allowed_), heed::to_string(scores)));
    }
  }
}

Tensor Mask::rest(const Shape& scores, const char* op) const {
  check(scores, op);
  Tensor out = allowed_;
  if (keys_.defined()) out = both(out, beside(keys_, scores.rank()));
  return out;
}

Mask Mask::spread(Index rows) const {
  Mask out = *this;
  if (lengths_.size() == 1) out.lengths_.assign(static_cast<std::size_t>(rows), lengths_[0]);
  if (keys_.defined() && keys_.size(0) == 1) out.keys_ = expand(keys_, {rows, keys_.size(1)});
  return out;
}

Mask Mask::select_rows(const Tensor& rows, Index rank) const {
  if (!rows.defined() || rows.dtype() != DType::i64) {
    throw DTypeError("mask: select_rows: rows must be i64, not " + describe(rows));
  }
  if (rows.rank() != 1) {
    throw ShapeError("mask: select_rows: rows must be [R], not " + describe(rows));
  }
  const bool same = allowed_.defined() && (allowed_.rank() == 0 || allowed_.size(0) == 1);
  if (allowed_.defined() && !same && rank < 0) {
    throw ShapeError(
        fmt::format("mask: select_rows: of {} the rows are not known", describe(allowed_)));
  }
  Mask out = *this;
  if (keys_.defined()) out.keys_ = index_select(keys_, 0, rows);
  if (allowed_.defined() && !same && allowed_.rank() >= rank) {
    out.allowed_ = index_select(allowed_, 0, rows);
  }
  if (rule_ != nullptr) out.rule_ = detail::of_rows(rule_, rows.array().to_vector<Index>());
  if (!has_lengths()) return out;
  out.lengths_.clear();
  for (const Index row : rows.array().to_vector<Index>()) {
    if (row < 0 || row >= static_cast<Index>(lengths_.size())) {
      throw IndexError(
          fmt::format("mask: select_rows: row {} is out of range [0, {})", row, lengths_.size()));
    }
    out.lengths_.push_back(lengths_[static_cast<std::size_t>(row)]);
  }
  return out;
}

Mask Mask::with_rest(Tensor allowed, const Shape& scores) const {
  Mask out = allowed.defined() ? Mask(std::move(allowed)) : Mask();
  out.left_ = left_;
  out.right_ = right_;
  out.blocks_ = blocks_;
  out.lengths_ = lengths_;
  out.steps_ = steps_;
  out.segments_ = segments_;
  if (rule_ != nullptr) out.rule_ = detail::of_scores(rule_, scores);
  return out;
}

Tensor Mask::tensor(const Shape& scores, const char* op) const {
  if (all()) return Tensor();
  Tensor out = rest(scores, op);
  if (has_lengths()) out = both(out, beside(first_places(lengths_, steps_), scores.rank()));
  detail::Rule places = rule_;
  for (const Index size : blocks_) places = detail::both(detail::block_rule(size), places);
  if (!segments_.empty()) places = detail::both(detail::segments_rule(segments_), places);
  if (left_ >= 0 || right_ >= 0) places = detail::both(detail::window_rule(left_, right_), places);
  return places != nullptr ? both(out, detail::tensor_of(*places, scores, op)) : out;
}

std::shared_ptr<const TileRule> Mask::as_rule() const {
  detail::Rule all = rule_;
  const auto add = [&](const detail::Rule& rule) { all = detail::both(rule, all); };
  if (allowed_.defined()) add(detail::tensor_rule(allowed_));
  if (keys_.defined()) add(detail::keys_rule(keys_));
  if (has_lengths()) add(detail::keys_rule(first_places(lengths_, steps_)));
  for (const Index size : blocks_) add(detail::block_rule(size));
  if (!segments_.empty()) add(detail::segments_rule(segments_));
  if (left_ >= 0 || right_ >= 0) add(detail::window_rule(left_, right_));
  return all;
}

Mask operator|(const Mask& a, const Mask& b) {
  if (a.all()) return a;
  return b.all() ? b : Mask::of(detail::either(a.as_rule(), b.as_rule()));
}

Mask operator!(const Mask& a) { return Mask::of(detail::negated(a.as_rule())); }

Mask operator&(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  Mask out = a;
  out.left_ = narrower(a.left_, b.left_);
  out.right_ = narrower(a.right_, b.right_);
  for (const Index size : b.blocks_) {
    const bool known = std::find(out.blocks_.begin(), out.blocks_.end(), size) != out.blocks_.end();
    if (!known) out.blocks_.push_back(size);
  }
  out.keys_ = both(a.keys_, b.keys_);
  out.allowed_ = both(a.allowed_, b.allowed_);
  out.rule_ = detail::both(a.rule_, b.rule_);
  if (a.segments_.empty()) {
    out.segments_ = b.segments_;
  } else if (!b.segments_.empty() && b.segments_ != a.segments_) {
    out.rule_ = detail::both(detail::segments_rule(b.segments_), out.rule_);
  }
  if (!a.has_lengths()) {
    out.lengths_ = b.lengths_;
    out.steps_ = b.steps_;
  } else if (b.has_lengths()) {
    if (a.lengths_.size() != b.lengths_.size() || a.steps_ != b.steps_) {
      throw ShapeError(fmt::format("mask: lengths of [{}, {}] and of [{}, {}] do not combine",
                                   a.lengths_.size(), a.steps_, b.lengths_.size(), b.steps_));
    }
    for (std::size_t i = 0; i < b.lengths_.size(); ++i) {
      out.lengths_[i] = std::min(a.lengths_[i], b.lengths_[i]);
    }
  }
  return out;
}

}  // namespace heed::attention
