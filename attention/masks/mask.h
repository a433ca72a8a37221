// Masks say which places may be attended to: true means *may attend*, everywhere. A query without
// any true yields zeros, with zero gradients, and whatever stands in a masked place, NaN included,
// changes nothing.
//
//   const auto mask = Mask::causal() & Mask::lengths({7, 5}, 7);
//   const auto near = Mask::rule([](auto q, auto k) { return k <= q && q - k < 128; });
//   const auto far = Mask::causal() & !near;
//
// A mask is a rule until somebody asks for its tensor(): no block of queries by keys is made where
// rules alone decide; see rule.h for rules of your own, rules.h for those that have names. Where
// queries and keys differ in number they are aligned at the end: query i stands at the place
// i + K - Q of the keys.
#pragma once

#include <memory>
#include <vector>

#include "../../autograd/tensor.h"
#include "rule.h"

namespace heed::attention {

class Mask {
 public:
  /// Everything may be attended to.
  Mask() = default;
  /// Any bool tensor that broadcasts to the scores. Throws DTypeError for other dtypes.
  explicit Mask(Tensor allowed);
  /// Places 0 .. p, where p is the query's own.
  static Mask causal();
  /// Places p - left .. p + right, where p is the query's own. Throws ValueError for a negative
  /// width.
  static Mask window(Index left, Index right);
  /// The places of the query's own block, of `size` places each. Throws ValueError unless positive.
  static Mask block(Index size);
  /// The places of the query's own segment: places offsets[s] .. offsets[s + 1] - 1, as sequences
  /// that stand one behind the other have them. Throws ValueError for offsets that do not begin at
  /// 0, or fall.
  static Mask segments(const std::vector<Index>& offsets);
  /// The same of queries that have segments of their own, as many as the keys: query i is in
  /// segment s of the queries and sees segment s of the keys. Throws ValueError.
  static Mask segments(const std::vector<Index>& queries, const std::vector<Index>& keys);
  /// Where the lambda says so, of the query's place and the key's: see rule.h. What it has captured
  /// are i64 or bool tensors. Throws DTypeError, ShapeError.
  template <class F, class... Captured>
  static Mask rule(F f, const Captured&... captured) {
    using Lambda = detail::LambdaRule<F, sizeof...(Captured)>;
    return of(std::make_shared<Lambda>(
        std::move(f), std::vector<detail::RuleTable>{detail::RuleTable(captured)...}));
  }
  /// A rule as it is.
  static Mask of(std::shared_ptr<const TileRule> rule);
  /// [B] rows of [B, .., steps]: the first lengths[b] places. Throws ShapeError for a length
  /// outside [0, steps].
  static Mask lengths(const std::vector<Index>& lengths, Index steps);
  /// bool [B, steps], whatever queries and heads stand between in the scores: true is a real key.
  /// Throws DTypeError, ShapeError.
  static Mask key_padding(Tensor real);

  /// True when it hides nothing.
  bool all() const;
  /// bool, broadcasting to `scores`: [.., Q, K], or [B, K] where there are no queries; undefined
  /// when all(). Throws ShapeError, which names `op`, where it does not fit.
  Tensor tensor(const Shape& scores, const char* op = "mask") const;
  /// The mask of a batch made of these rows of this one's, i64 [R]. `rank` is that of the scores:
  /// a boolean mask of as many axes has its rows in front, one of fewer is the same for all rows;
  /// -1: not known, and a boolean mask throws ShapeError. Throws IndexError, DTypeError. Rules are
  /// asked of the rows: of those they do not have they throw when they are asked.
  Mask select_rows(const Tensor& rows, Index rank = -1) const;
  /// This mask for a batch of so many rows: lengths and keys of one row, which hold for all, become
  /// as many.
  Mask spread(Index rows) const;

  /// Its parts, for kernels that need no block. The window's sides; -1: without an end.
  Index left() const { return left_; }
  Index right() const { return right_; }
  /// Of each row of the batch, where there are lengths.
  bool has_lengths() const { return steps_ >= 0; }
  const std::vector<Index>& key_lengths() const { return lengths_; }
  const std::vector<Index>& blocks() const { return blocks_; }
  const std::vector<Index>& segment_offsets() const { return segments_; }
  /// Null without one.
  const std::shared_ptr<const TileRule>& places() const { return rule_; }
  /// What is none of these, as tensor().
  Tensor rest(const Shape& scores, const char* op = "mask") const;
  /// The same but for another rest, for scores of another rank; rules are asked as if by `scores`.
  Mask with_rest(Tensor allowed, const Shape& scores) const;

 private:
  friend Mask operator&(const Mask& a, const Mask& b);
  friend Mask operator|(const Mask& a, const Mask& b);
  friend Mask operator!(const Mask& a);
  std::shared_ptr<const TileRule> as_rule() const;
  void check(const Shape& scores, const char* op) const;

  Index left_ = -1;
  Index right_ = -1;
  std::vector<Index> blocks_;
  std::vector<Index> lengths_;
  Index steps_ = -1;  // of lengths_; -1: there are none
  std::vector<Index> segments_;
  Tensor keys_;  // [B, steps]
  Tensor allowed_;
  std::shared_ptr<const TileRule> rule_;
};

/// What both allow. Throws ShapeError for lengths of different batches.
Mask operator&(const Mask& a, const Mask& b);
/// What either allows.
Mask operator|(const Mask& a, const Mask& b);
/// What it does not allow.
Mask operator!(const Mask& a);

}  // namespace heed::attention
