// How attention is cut up: checks the operands, spreads them over the common leading axes, and says
// which queries make a tile and which keys they may see. All of that follows from shapes alone; in
// which numbers products are, from the caller's precision and the processor, too.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "attention.h"
#include "attention_bf16.h"
#include "attention_rows_simd.h"
#include "tile_map.h"
#include "tile_rule.h"

namespace heed::kernels {

/// The common leading axes, split in two: a *member* of a unit differs from the others in axes that
/// an operand was broadcast over, so that all members share it.
class LeadingAxes {
 public:
  /// `shared` broadcasts to `lead`.
  LeadingAxes(const Shape& lead, const Shape& shared);
  Index units() const { return units_; }
  Index members() const { return members_; }
  /// Of an operand whose leading axes have these strides.
  Index offset(const Strides& strides, Index unit, Index member) const;

 private:
  Shape sizes_;
  std::array<bool, kMaxRank> is_member_{};
  Index units_ = 1, members_ = 1;
};

/// Queries whose scores are computed together, a row each: of one member of a unit, or all those of
/// several.
struct QueryTile {
  static constexpr Index kMost = 64;
  /// Neighbouring queries of one member, from the tile's `row` on.
  struct Run {
    Index member, query, row, count;
  };
  std::array<Run, kMost> runs;
  Index run_count = 0;
  std::array<KeyRange, kMost> sees;  ///< by row
  Index count = 0;                   ///< rows
  KeyRange keys;                     ///< that any row may see

  void clear() {
    run_count = count = 0;
    keys = {};
  }
  const Run& run_of(Index row) const;
};

class AttentionPlan {
 public:
  /// Throws in `op`'s name for all that does not fit.
  AttentionPlan(const char* op, const AttentionScores& scores, const Array& v,
                const AttentionTerms& terms);

  const char* op_name;
  Index Q, K, D, Dv;
  Shape lead;     ///< of the result
  Shape shared;   ///< leading axes of keys and values
  Array q, k, v;  ///< [lead.., Q, D], ...; the last axis dense
  Array vector;
  Array allowed, bias;  ///< [lead.., Q, K] or undefined
  Array offset_bias;    ///< the same, a view in which j - i alone decides
  Array sinks;          ///< [lead..] or undefined
  double scale, dropout;
  Generator::State draws;
  Shape all;  ///< [lead.., Q, K]
  std::shared_ptr<const TileRule> rule;
  std::shared_ptr<const TileMap> map;

  /// Whether products are in bf16: of floats in its scope, where that is faster.
  bool in_bf16;
  template <class T>
  simd::Multiply<T> multiply() const {
    if constexpr (std::is_same_v<T, float>) {
      if (in_bf16) return simd::multiply_bf16;
    }
    return simd::rows<T>().multiply;
  }

  /// [lead.., ..].
  Shape with_lead(std::initializer_list<Index> rest) const;
  /// Which matrix of scores a member's is, and how many stand before it.
  ScoresAt matrix(const LeadingAxes& axes, Index unit, Index member) const;
  Index matrices_before(const LeadingAxes& axes, Index unit, Index member) const;
  /// The keys that a query may see, as far as ranges say.
  KeyRange keys_of(const LeadingAxes& axes, Index unit, Index member, Index query) const;

  /// Tiles of at most `rows` queries in each unit, and the t-th of them.
  Index tiles(const LeadingAxes& axes, Index rows) const;
  void fill(const LeadingAxes& axes, Index rows, Index unit, Index t, QueryTile& tile) const;
  /// Adds `count` queries of one member, from `first` on.
  void add(const LeadingAxes& axes, Index unit, Index member, Index first, Index count,
           QueryTile& tile) const;

 private:
  void check_terms(const char* op, const AttentionTerms& terms);
  void check_bias(const char* op, const AttentionTerms& terms);
  void check_segments(const char* op, const std::vector<Index>& offsets);
  Index length_of(const LeadingAxes& axes, Index unit, Index member) const;
  KeyRange keys_of(Index query, Index length) const;

  Index behind_, ahead_;  // of a query's place; -1: no bound
  std::vector<Index> blocks_;
  std::vector<KeyRange> segments_;  // of each place, if there are any
  Strides batch_steps_, head_steps_, matrix_steps_;
  Array lengths_;  // spread over the leading axes, or undefined
};

/// The most keys of a tile, for a score that takes as many: fewer where a rule may hide some.
inline Index most_keys_of(const AttentionPlan& plan, Index score_takes) {
  constexpr Index kRuled = 192;
  return plan.rule != nullptr ? std::min(score_takes, kRuled) : score_takes;
}

/// The tiles of all units handed out to threads: tasks of neighbouring tiles of one unit.
class AttentionCut {
 public:
  struct Task {
    Index unit, part, begin, end;  ///< tiles begin .. end - 1, the part-th of the unit's tasks
  };
  /// At most `most_tiles` of `rows` queries a task, and where that allows it `least_tasks` tasks.
  AttentionCut(const AttentionPlan& plan, const LeadingAxes& axes, Index rows, Index most_tiles,
               Index least_tasks);
  Index tasks() const { return units_ * parts_; }
  Index parts() const { return parts_; }
  /// Tasks that are worth a thread of their own.
  Index grain() const { return grain_; }
  /// The long ones, which under a causal mask are the last, come first.
  Task task(Index i) const;

 private:
  Index units_, tiles_, parts_, each_, grain_;
};

/// Uninitialised, of x's shape (its last size another), with the axes in memory in the order of
/// x's where x has an order.
Array empty_in_order_of(const Array& x, Index last);

}  // namespace heed::kernels
