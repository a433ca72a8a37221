#include "combined.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/traced.h"
#include "followed.h"

namespace heed::attention::detail {
namespace {

Tensor followed_by(const TileRule& rule, const FollowedAt& at) {
  const auto* known = dynamic_cast<const FollowedRule*>(&rule);
  if (known == nullptr) throw_not_followed();
  return known->followed(at);
}

// What knows of how many rows of a batch it is, where scores have so many axes; 1: of any.
class OfBatch {
 public:
  virtual ~OfBatch() = default;
  virtual Index rows(Index rank) const = 0;
};

// Others see for themselves when they are asked.
Index rows_of(const TileRule& rule, Index rank) {
  const auto* known = dynamic_cast<const OfBatch*>(&rule);
  return known != nullptr ? known->rows(rank) : 1;
}

void check_rows(const std::vector<Index>& chosen, Index rows) {
  for (const Index row : chosen) {
    if (row >= 0 && (rows == 1 || row < rows)) continue;
    throw IndexError(fmt::format("mask: select_rows: row {} is out of range{}", row,
                                 rows == 1 ? "" : fmt::format(" [0, {})", rows)));
  }
}

class Both final : public TileRule, public FollowedRule, public OfBatch {
 public:
  Both(Rule a, Rule b) : a_(std::move(a)), b_(std::move(b)) {}
  void check(const char* op, const Shape& scores) const override {
    a_->check(op, scores);
    b_->check(op, scores);
  }
  Index rows(Index rank) const override {
    const Index a = rows_of(*a_, rank), b = rows_of(*b_, rank);
    return a == 1 ? b : b == 1 ? a : std::min(a, b);
  }
  bool by_matrix() const override { return a_->by_matrix() || b_->by_matrix(); }
  Seen over(const ScoresAt& at, KeyRange q, KeyRange k) const override {
    const Seen a = a_->over(at, q, k);
    if (a == Seen::none) return a;
    const Seen b = b_->over(at, q, k);
    return a == Seen::all || b == Seen::none ? b : Seen::some;
  }
  void row(const ScoresAt& at, Index q, KeyRange k, bool* may) const override {
    a_->row(at, q, k, may);
    // b_ is not asked where a_ says no: it may have nothing to say there.
    for (Index j = 0; j < k.size(); ++j) {
      if (may[j]) b_->row(at, q, {k.begin + j, k.begin + j + 1}, may + j);
    }
  }
  Tensor followed(const FollowedAt& at) const override {
    return logical_and(followed_by(*a_, at), followed_by(*b_, at));
  }
  std::vector<Array> reads() const override {
    std::vector<Array> all = a_->reads();
    for (const Array& each : b_->reads()) all.push_back(each);
    return all;
  }

 private:
  Rule a_, b_;
};

class Not final : public TileRule, public FollowedRule, public OfBatch {
 public:
  explicit Not(Rule a) : a_(std::move(a)) {}
  Index rows(Index rank) const override { return rows_of(*a_, rank); }
  void check(const char* op, const Shape& scores) const override { a_->check(op, scores); }
  bool by_matrix() const override { return a_->by_matrix(); }
  Seen over(const ScoresAt& at, KeyRange q, KeyRange k) const override {
    const Seen a = a_->over(at, q, k);
    return a == Seen::some ? a : a == Seen::all ? Seen::none : Seen::all;
  }
  void row(const ScoresAt& at, Index q, KeyRange k, bool* may) const override {
    a_->row(at, q, k, may);
    for (Index j = 0; j < k.size(); ++j) may[j] = !may[j];
  }
  Tensor followed(const FollowedAt& at) const override { return logical_not(followed_by(*a_, at)); }
  std::vector<Array> reads() const override { return a_->reads(); }

 private:
  Rule a_;
};

// Keys low(q) .. high(q) - 1, neither of which falls with q.
template <class Span>
class Spans final : public TileRule, public FollowedRule {
 public:
  explicit Spans(Span span) : span_(std::move(span)) {}
  void check(const char* op, const Shape& scores) const override { span_.check(op, scores); }
  bool by_matrix() const override { return false; }
  Seen over(const ScoresAt&, KeyRange q, KeyRange k) const override {
    const KeyRange first = span_.of(q.begin), last = span_.of(q.end - 1);
    if (last.end <= k.begin || first.begin >= k.end) return Seen::none;
    return last.begin <= k.begin && first.end >= k.end ? Seen::all : Seen::some;
  }
  void row(const ScoresAt&, Index q, KeyRange k, bool* may) const override {
    const KeyRange own = span_.of(q);
    for (Index j = k.begin; j < k.end; ++j) may[j - k.begin] = j >= own.begin && j < own.end;
  }
  Tensor followed(const FollowedAt& at) const override { return span_.followed(at).value; }

 private:
  Span span_;
};

struct WindowSpan {
  Index left, right;
  void check(const char*, const Shape&) const {}
  KeyRange of(Index q) const {
    return {left < 0 ? Interval::kLeast : q - left, right < 0 ? Interval::kMost : q + right + 1};
  }
  FollowedTruths followed(const FollowedAt& at) const {
    if (left < 0 && right < 0) return true;
    const auto reaches_back = [&] { return at.k >= at.q - FollowedPlaces(left); };
    const auto reaches_on = [&] { return at.k <= at.q + FollowedPlaces(right); };
    if (left < 0) return reaches_on();
    return right < 0 ? reaches_back() : reaches_back() && reaches_on();
  }
};

struct BlockSpan {
  Index size;
  void check(const char*, const Shape&) const {}
  KeyRange of(Index q) const {
    const Index begin = (Place(q) / Place(size) * Place(size)).value;
    return {begin, begin + size};
  }
  FollowedTruths followed(const FollowedAt& at) const { return at.q / size == at.k / size; }
};

struct SegmentSpan {
  std::vector<Index> offsets;
  void check(const char* op, const Shape& scores) const {
    if (offsets.back() == scores[scores.rank() - 1]) return;
    throw ShapeError(fmt::format("{}: the mask's segments end at {}, scores are {}", op,
                                 offsets.back(), heed::to_string(scores)));
  }
  KeyRange of(Index q) const {
    if (q < 0) return {0, 0};
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), q);
    if (next == offsets.end()) return {q, q};
    return {*(next - 1), *next};
  }
  FollowedTruths followed(const FollowedAt&) const {
    throw ValueError("mask: segments cannot be followed: they are those of one batch");
  }
};

// Numbers of a bool array that broadcasts to the scores; of keys [B, K] in any case.
class TensorRule final : public TileRule, public FollowedRule, public OfBatch {
 public:
  TensorRule(const Tensor& allowed, bool keys) : allowed_(allowed.array()), keys_(keys) {}
  Index rows(Index rank) const override {
    return keys_ || (rank > 2 && allowed_.rank() == rank) ? allowed_.size(0) : 1;
  }
  void check(const char* op, const Shape& scores) const override {
    const Index rank = scores.rank(), own = allowed_.rank();
    const auto fits = [](Index size, Index of) { return size == 1 || size == of; };
    bool all = keys_ || own <= rank;
    if (keys_) all = fits(allowed_.size(0), scores[0]) && fits(allowed_.size(1), scores[rank - 1]);
    for (Index axis = 1; !keys_ && all && axis <= own; ++axis) {
      all = fits(allowed_.size(-axis), scores[rank - axis]);
    }
    if (all) return;
    throw ShapeError(fmt::format("{}: mask {} does not broadcast to scores {}", op,
                                 describe(allowed_), heed::to_string(scores)));
  }
  bool by_matrix() const override { return allowed_.numel() > 1 && (keys_ || allowed_.rank() > 2); }
  void row(const ScoresAt& at, Index q, KeyRange k, bool* may) const override {
    const Strides& steps = allowed_.strides();
    const auto step = [&](Index axis) { return allowed_.size(axis) == 1 ? 0 : steps[axis]; };
    const Index rank = allowed_.rank(), of = at.scores->rank();
    const bool* from = allowed_.data<bool>();
    if (keys_) {
      from += at.batch * step(0);
    } else {
      const Index queries = (*at.scores)[of - 2], keys = (*at.scores)[of - 1];
      Index head = at.head;
      for (Index axis = of - 3; axis >= 0; --axis) {
        const Index own = axis - (of - rank);
        const Index place = axis == 0 ? at.batch : head % (*at.scores)[axis];
        if (axis > 0) head /= (*at.scores)[axis];
        if (own >= 0) from += place * step(own);
      }
      if (rank >= 2) from += (q - keys + queries) * step(rank - 2);
    }
    const Index apart = rank == 0 ? 0 : step(rank - 1);
    for (Index j = k.begin; j < k.end; ++j) may[j - k.begin] = from[j * apart];
  }
  Tensor followed(const FollowedAt& at) const override {
    Tensor allowed(allowed_);
    if (keys_) {
      Shape shape = Shape::filled(at.asked.rank(), 1);
      shape[0] = allowed_.size(0);
      shape[shape.rank() - 1] = allowed_.size(1);
      return reshape(allowed, shape);
    }
    if (at.asked.rank() == at.scores.rank()) return allowed;
    return reshape(expand(allowed, at.scores), at.asked);
  }
  std::vector<Array> reads() const override { return {allowed_}; }

 private:
  Array allowed_;
  bool keys_;
};

// Another batch, or other axes of heads.
class Elsewhere final : public TileRule, public FollowedRule, public OfBatch {
 public:
  Elsewhere(Rule rule, std::vector<Index> rows, Shape scores)
      : rule_(std::move(rule)), rows_(std::move(rows)), scores_(scores) {}
  void check(const char* op, const Shape& scores) const override {
    if (!rows_.empty() && static_cast<Index>(rows_.size()) != scores[0]) {
      throw ShapeError(fmt::format("{}: a mask of {} rows does not fit scores {}", op, rows_.size(),
                                   heed::to_string(scores)));
    }
    Shape own = scores_.rank() > 0 ? scores_ : scores;
    if (!rows_.empty()) {  // those of the rule's own batch
      const Index rows = rows_of(*rule_, own.rank());
      check_rows(rows_, rows);
      // Of two axes the first is that of queries to a rule without rows, and stays.
      if (own.rank() > 2 || rows > 1) {
        own[0] = rows == 1 ? *std::max_element(rows_.begin(), rows_.end()) + 1 : rows;
      }
    }
    if (scores_.rank() > 0 || !rows_.empty()) rule_->check(op, own);
  }
  Index rows(Index rank) const override {
    if (!rows_.empty()) return static_cast<Index>(rows_.size());
    return rows_of(*rule_, scores_.rank() > 0 ? scores_.rank() : rank);
  }
  bool by_matrix() const override { return rule_->by_matrix(); }
  Seen over(const ScoresAt& at, KeyRange q, KeyRange k) const override {
    return rule_->over(there(at), q, k);
  }
  void row(const ScoresAt& at, Index q, KeyRange k, bool* may) const override {
    rule_->row(there(at), q, k, may);
  }
  Tensor followed(const FollowedAt& at) const override {
    FollowedAt out = at;
    if (scores_.rank() > 0) out.scores = scores_;
    if (!rows_.empty()) {
      if (at.asked.rank() < 3) throw_not_followed();
      out.batch = look_up(Array::from(rows_), {at.batch}, at.batch);
    }
    return followed_by(*rule_, out);
  }
  std::vector<Array> reads() const override { return rule_->reads(); }

 private:
  ScoresAt there(const ScoresAt& at) const {
    ScoresAt out = at;
    if (scores_.rank() > 0) out.scores = &scores_;
    if (!rows_.empty()) out.batch = rows_[static_cast<std::size_t>(at.batch)];
    return out;
  }
  Rule rule_;
  std::vector<Index> rows_;  // none: its own
  Shape scores_;             // none: those that ask
};

template <class Span>
Rule spans(Span span) {
  return std::make_shared<Spans<Span>>(std::move(span));
}

}  // namespace

Rule both(const Rule& a, const Rule& b) {
  if (a == nullptr) return b;
  return b == nullptr ? a : std::make_shared<Both>(a, b);
}
Rule negated(const Rule& a) {
  return std::make_shared<Not>(a != nullptr ? a : window_rule(-1, -1));
}
Rule either(const Rule& a, const Rule& b) {
  if (a == nullptr || b == nullptr) return nullptr;
  return negated(both(negated(a), negated(b)));
}
Rule window_rule(Index left, Index right) { return spans(WindowSpan{left, right}); }
Rule block_rule(Index size) { return spans(BlockSpan{size}); }
Rule segments_rule(std::vector<Index> offsets) { return spans(SegmentSpan{std::move(offsets)}); }
Rule tensor_rule(const Tensor& allowed) { return std::make_shared<TensorRule>(allowed, false); }
Rule keys_rule(const Tensor& keys) { return std::make_shared<TensorRule>(keys, true); }
Rule of_rows(const Rule& rule, std::vector<Index> rows) {
  check_rows(rows, rows_of(*rule, 0));
  return std::make_shared<Elsewhere>(rule, std::move(rows), Shape());
}
Rule of_scores(const Rule& rule, const Shape& scores) {
  return std::make_shared<Elsewhere>(rule, std::vector<Index>(), scores);
}

Tensor tensor_of(const TileRule& rule, const Shape& scores, const char* op) {
  rule.check(op, scores);
  if (traced()) return followed_by(rule, FollowedAt(scores));
  const Index rank = scores.rank(), Q = scores[rank - 2], K = scores[rank - 1];
  const Shape shape = rule.by_matrix() ? scores : Shape{Q, K};
  Array out = Array::zeros(shape, DType::boolean);
  if (out.numel() == 0) return out;
  const Index matrices = out.numel() / (Q * K), batch = shape.rank() > 2 ? shape[0] : 1;
  const Index heads = matrices / batch;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    rule.fill({&scores, matrix / heads, matrix % heads}, {K - Q, K}, {0, K},
              out.mutable_data<bool>() + matrix * Q * K, K);
  }
  return out;
}

}  // namespace heed::attention::detail
