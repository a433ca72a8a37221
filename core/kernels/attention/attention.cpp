#include "attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../error.h"
#include "../../parallel.h"
#include "../reduce/finite_simd.h"
#include "attention_dropout.h"
#include "attention_scores.h"
#include "tile_terms.h"

namespace heed::kernels {
namespace {

// One thread's walk over query tiles: keys chunk by chunk, with a running softmax.
template <class T, class Score>
class Forward {
 public:
  Forward(const AttentionPlan& plan, const LeadingAxes& axes, Attended& result)
      : plan_(plan),
        axes_(axes),
        values_(plan.v, axes),
        results_(result.out, axes),
        score_(plan, axes, false, memory_),
        most_keys_(most_keys_of(plan, Score::most_keys(plan, false))),
        terms_(plan, axes, most_keys_),
        dropout_(plan, axes, most_keys_),
        width_(padded<T>(plan.Dv)),
        s_(memory_.take(most_keys_ * Score::kRows)),
        v_(memory_.take(most_keys_ * width_)),
        out_(memory_.take(Score::kRows * width_)),
        sinks_(plan.sinks.defined() ? plan.sinks.data<T>() : nullptr),
        result_(result) {}

  void start(Index unit) {
    unit_ = unit;
    score_.start(unit);
    block_ = values_.block(unit, 0);
  }

  void run(Index t) {
    plan_.fill(axes_, Score::kRows, unit_, t, tile_);
    step_ = padded<T>(tile_.count);
    terms_.load(unit_, tile_);
    over_keys(T{1});
    // The sum of large values may overflow where their mean does not.
    if (simd::finite<T>().all(tile_.count * width_, out_)) return store(T{1});
    const T share = std::exp2(-std::ceil(std::log2(static_cast<T>(plan_.K))));
    over_keys(share);
    store(share);
  }

 private:
  // The sums of `share` times the values, weighted but for the sum of the weights.
  void over_keys(T share) {
    begin_sums();
    std::fill_n(out_, tile_.count * width_, T{0});
    if (!tile_.keys.empty()) score_.load(tile_);
    bool first = true;
    KeyRange keys{tile_.keys.begin, tile_.keys.begin};
    while (!(keys = terms_.next(keys.end, tile_.keys.end)).empty()) {
      score_.scores(keys, s_);
      if (terms_.maps()) terms_.map(s_);
      const bool whole = terms_.whole();
      if (!whole) terms_.lay_over(s_);
      simd::tiles<T>().soften(keys.size(), step_, s_, most_, sum_, factor_);
      if (dropout_.drops()) {
        dropout_.draw(unit_, tile_, keys);
        dropout_.apply(s_);
      }
      if (share != T{1}) {
        simd::rows<T>().scale(keys.size(), step_, s_, step_, &share, 0, s_, step_, step_);
      }
      if (!first) scale_older();
      add_values(keys, whole);
      first = false;
    }
  }

  // Of nothing yet, or of a sink, which is the first score of its row.
  void begin_sums() {
    std::fill_n(most_, step_, -std::numeric_limits<T>::infinity());
    std::fill_n(sum_, step_, T{0});
    if (sinks_ == nullptr) return;
    for (Index r = 0; r < tile_.run_count; ++r) {
      const QueryTile::Run& run = tile_.runs[static_cast<std::size_t>(r)];
      const T sink = sinks_[axes_.offset(plan_.sinks.strides(), unit_, run.member)];
      if (sink == -std::numeric_limits<T>::infinity()) continue;
      std::fill_n(most_ + run.row, run.count, sink);
      std::fill_n(sum_ + run.row, run.count, T{1});
    }
  }

  // A map may give no NaN of a score that is a number.
  void check_map() {
    if (std::none_of(sum_, sum_ + tile_.count, [](T sum) { return std::isnan(sum); })) return;
    for (KeyRange keys{tile_.keys.begin, 0}; keys.begin < tile_.keys.end; ++keys.begin) {
      keys.end = keys.begin + 1;
      if (!terms_.open(keys)) continue;
      score_.scores(keys, s_);
      std::copy_n(s_, tile_.count, row_);
      terms_.map(s_);
      terms_.lay_over(s_);
      for (Index i = 0; i < tile_.count; ++i) {
        if (std::isnan(s_[i]) && std::isfinite(row_[i])) {
          throw ValueError(
              fmt::format("{}: the score map gives NaN of a score of {}", plan_.op_name, row_[i]));
        }
      }
    }
  }

  void scale_older() {
    const auto is_one = [](T factor) { return factor == T{1}; };
    if (std::all_of(factor_, factor_ + tile_.count, is_one)) return;
    simd::rows<T>().scale(tile_.count, width_, out_, width_, factor_, 1, out_, width_, width_);
  }

  // out += p^T v
  void add_values(KeyRange keys, bool whole) {
    const auto row = [&](Index j) { return block_ + (keys.begin + j) * values_.step(); };
    const T* v = row(0);
    Index v_step = values_.step();
    bool finite = true;
    if (!whole) {
      for (Index j = 0; j < keys.size() && finite; ++j) {
        finite = simd::finite<T>().all(plan_.Dv, row(j));
      }
    }
    if (!finite || plan_.Dv != width_) {
      const T one{1};
      simd::rows<T>().scale(keys.size(), plan_.Dv, v, v_step, &one, 0, v_, width_, width_);
      if (!finite) clear_unless_finite(keys.size() * width_, v_);
      v = v_;
      v_step = width_;
    }
    plan_.multiply<T>()(tile_.count, width_, keys.size(), s_, 1, step_, v, v_step, true, out_,
                        width_);
    if (!finite) {
      add_infinite(tile_.count, keys.size(), plan_.Dv, s_, s_, 1, step_, row, T{1}, out_, width_);
    }
  }

  void store(T share) {
    if (terms_.maps()) check_map();
    for (Index i = 0; i < tile_.count; ++i) {
      const bool none = sum_[i] == T{0};
      const T added = none ? T{0} : std::log(sum_[i]);
      const T log_sum = none ? -std::numeric_limits<T>::infinity() : most_[i] + added;
      factor_[i] = none ? T{0} : T{1} / share / sum_[i];
      // Of a large score the sum leaves nothing of what is added.
      sum_[i] = none ? T{0} : added - (log_sum - most_[i]);
      most_[i] = log_sum;
    }
    results_.store(unit_, tile_, plan_.Dv, out_, factor_, 1);
    for (Index r = 0; r < tile_.run_count; ++r) {
      const QueryTile::Run& run = tile_.runs[static_cast<std::size_t>(r)];
      const Index at = axes_.offset(result_.log_sums.strides(), unit_, run.member) + run.query;
      std::copy_n(most_ + run.row, run.count, result_.log_sums.template mutable_data<T>() + at);
      std::copy_n(sum_ + run.row, run.count, result_.rests.template mutable_data<T>() + at);
    }
  }

  const AttentionPlan& plan_;
  const LeadingAxes& axes_;
  TileMemory<T> memory_;
  const OperandRows<const T> values_;
  const OperandRows<T> results_;
  Score score_;
  const Index most_keys_;
  TileTerms<T> terms_;
  TileDropout<T> dropout_;
  const Index width_;
  T* s_;    // [keys, step]
  T* v_;    // [keys, width]
  T* out_;  // [rows, width]
  T most_[QueryTile::kMost], sum_[QueryTile::kMost], factor_[QueryTile::kMost];
  T row_[QueryTile::kMost];
  const T* sinks_;  // by the plan's strides
  Attended& result_;
  Index unit_ = 0, step_ = 0;
  const T* block_ = nullptr;
  QueryTile tile_;
};

template <class T, class Score>
void run(const AttentionPlan& plan, Attended& result) {
  const LeadingAxes axes(plan.lead, plan.shared);
  const AttentionCut cut(plan, axes, Score::kRows, 8, 16);
  parallel_for(cut.tasks(), cut.grain(), [&](Index begin, Index end) {
    Forward<T, Score> walk(plan, axes, result);
    for (Index task = begin; task < end; ++task) {
      const AttentionCut::Task at = cut.task(task);
      walk.start(at.unit);
      for (Index t = at.begin; t < at.end; ++t) walk.run(t);
    }
  });
}

}  // namespace

Attended attention(const char* op, const AttentionScores& scores, const Array& v,
                   const AttentionTerms& terms) {
  const AttentionPlan plan(op, scores, v, terms);
  const Shape rows = plan.with_lead({plan.Q});
  Attended result{empty_in_order_of(plan.q, plan.Dv), Array::empty(rows, plan.q.dtype()),
                  Array::empty(rows, plan.q.dtype())};
  visit_floating(op, plan.q.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (plan.vector.defined()) {
      run<T, AdditiveScore<T>>(plan, result);
    } else {
      run<T, DotScore<T>>(plan, result);
    }
  });
  return result;
}

}  // namespace heed::kernels
