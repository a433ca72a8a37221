// The two scores that tiled attention knows. A walk over tiles asks for no more than this:
//
//   start(unit)               what follows is of this unit's keys
//   load(tile)                what follows is of these queries
//   scores(keys, s)           s [keys, step]
//   slopes(keys, p, d)        takes the scores' gradient d (p: the weights) of the tile whose
//   scores
//                             were made last back into the gradients of queries and keys
//   store_queries(to)         the gradients of the tile's queries, once
//   store_keys(to, step)      of the unit's keys, since start(), once
//   store_vector(to)          of the score vector, since start()
//
// kRows queries by most_keys() keys make a tile.
#pragma once

#include "../reduce/finite_simd.h"
#include "attention_tile.h"

namespace heed::kernels {

template <class T>
class DotScore {
 public:
  static constexpr Index kRows = QueryTile::kMost;

  DotScore(const AttentionPlan& plan, const LeadingAxes& axes, bool differentiates,
           TileMemory<T>& memory)
      : plan_(plan),
        queries_(plan.q, axes),
        keys_(plan.k, axes),
        width_(padded<T>(plan.D)),
        scale_(static_cast<T>(plan.scale)),
        q_(memory.take(kRows * width_)),
        turned_(plan, plan.D, memory) {
    if (!differentiates) return;
    k_ = memory.take(plan.K * width_);
    gk_ = memory.take(plan.K * width_);
    gq_ = memory.take(kRows * width_);
  }
  static Index most_keys(const AttentionPlan& plan, bool) { return std::min<Index>(plan.K, 240); }

  void start(Index unit, Index member = 0) {
    unit_ = unit;
    block_ = keys_.block(unit, member);
    if (!gk_) return;
    const T one{1};
    simd::rows<T>().scale(plan_.K, plan_.D, block_, keys_.step(), &one, 0, k_, width_, width_);
    finite_keys_ = simd::finite<T>().all(plan_.K * width_, k_);
    if (!finite_keys_) clear_unless_finite(plan_.K * width_, k_);
    std::fill_n(gk_, plan_.K * width_, T{0});
  }

  void load(const QueryTile& tile) {
    tile_ = &tile;
    step_ = padded<T>(tile.count);
    queries_.load(unit_, tile, plan_.D, scale_, q_);
    turned_.load(tile.count, q_);
    if (!gk_) return;
    finite_queries_ = simd::finite<T>().all(step_ * width_, q_);
    if (!finite_queries_) clear_unless_finite(step_ * width_, q_);
    std::fill_n(gq_, tile.count * width_, T{0});
  }

  void scores(KeyRange keys, T* s) {
    turned_.multiply(keys.size(), key(keys.begin), keys_.step(), s);
  }

  void slopes(KeyRange keys, const T* p, const T* d) {
    const Index rows = tile_->count;
    T* const gk = gk_ + keys.begin * width_;
    plan_.multiply<T>()(keys.size(), width_, rows, d, step_, 1, q_, width_, true, gk, width_);
    plan_.multiply<T>()(rows, width_, keys.size(), d, 1, step_, k_ + keys.begin * width_, width_,
                        true, gq_, width_);
    if (!finite_queries_) {
      add_infinite(
          keys.size(), rows, plan_.D, p, d, step_, 1, [&](Index i) { return query(i); }, scale_, gk,
          width_);
    }
    if (!finite_keys_) {
      add_infinite(
          rows, keys.size(), plan_.D, p, d, 1, step_, [&](Index j) { return key(keys.begin + j); },
          T{1}, gq_, width_);
    }
  }

  void store_queries(const OperandRows<T>& to) const {
    to.store(unit_, *tile_, plan_.D, gq_, &scale_, 0);
  }
  void store_keys(T* to, Index step) const {
    const T one{1};
    simd::rows<T>().scale(plan_.K, plan_.D, gk_, width_, &one, 0, to, step, plan_.D);
  }
  void store_vector(T*) const {}

 private:
  const T* query(Index i) const { return queries_.row(unit_, *tile_, i); }
  const T* key(Index j) const { return block_ + j * keys_.step(); }

  const AttentionPlan& plan_;
  const OperandRows<const T> queries_, keys_;
  const Index width_;
  const T scale_;
  T* q_;  // [rows, width], times the scale
  TurnedRows<T> turned_;
  T* k_ = nullptr;
  T* gk_ = nullptr;
  T* gq_ = nullptr;
  Index unit_ = 0, step_ = 0;
  const T* block_ = nullptr;
  const QueryTile* tile_ = nullptr;
  bool finite_keys_ = true, finite_queries_ = true;
};

/// The tile's tanh, [keys, rows, width], are kept from scores() to slopes(): tiles are small there.
template <class T>
class AdditiveScore {
 public:
  static constexpr Index kRows = 16;

  AdditiveScore(const AttentionPlan& plan, const LeadingAxes& axes, bool differentiates,
                TileMemory<T>& memory)
      : plan_(plan),
        queries_(plan.q, axes),
        keys_(plan.k, axes),
        width_(padded<T>(plan.D)),
        w_(memory.take(width_)),
        q_(memory.take(kRows * width_)),
        k_(memory.take(plan.K * width_)) {
    const T scale = static_cast<T>(plan.scale);
    simd::rows<T>().scale(1, plan.D, plan.vector.data<T>(), plan.D, &scale, 0, w_, width_, width_);
    if (!differentiates) return;
    kept_ = memory.take(most_keys(plan, true) * kRows * width_);
    gk_ = memory.take(plan.K * width_);
    gq_ = memory.take(kRows * width_);
    gw_ = memory.take(width_);
  }
  static Index most_keys(const AttentionPlan& plan, bool differentiates) {
    const Index fit = 131072 / (kRows * std::max<Index>(plan.D, 1));
    return std::min(plan.K, differentiates ? std::clamp<Index>(fit, 4, 64) : 64);
  }

  void start(Index unit, Index member = 0) {
    unit_ = unit;
    own_keys_ = keys_.block(unit, member);
    if (plan_.D != width_ || keys_.step() != width_) {
      const T one{1};
      simd::rows<T>().scale(plan_.K, plan_.D, own_keys_, keys_.step(), &one, 0, k_, width_, width_);
      own_keys_ = k_;
    }
    if (!gk_) return;
    std::fill_n(gk_, plan_.K * width_, T{0});
    std::fill_n(gw_, width_, T{0});
  }

  void load(const QueryTile& tile) {
    tile_ = &tile;
    step_ = padded<T>(tile.count);
    queries_.load(unit_, tile, plan_.D, T{1}, q_);
    if (gq_) std::fill_n(gq_, tile.count * width_, T{0});
  }

  void scores(KeyRange keys, T* s) {
    if (step_ > tile_->count) std::fill_n(s, keys.size() * step_, T{0});
    simd::tiles<T>().additive(tile_->count, keys.size(), width_, q_,
                              own_keys_ + keys.begin * width_, w_, s, step_, kept_);
  }

  void slopes(KeyRange keys, const T*, const T* d) {
    simd::tiles<T>().additive_slope(tile_->count, keys.size(), width_, kept_, d, step_, gq_,
                                    gk_ + keys.begin * width_, gw_);
  }

  void store_queries(const OperandRows<T>& to) const {
    weigh(tile_->count, gq_);
    const T one{1};
    to.store(unit_, *tile_, plan_.D, gq_, &one, 0);
  }
  void store_keys(T* to, Index step) const {
    weigh(plan_.K, gk_);
    const T one{1};
    simd::rows<T>().scale(plan_.K, plan_.D, gk_, width_, &one, 0, to, step, plan_.D);
  }
  void store_vector(T* to) const {
    const T scale = static_cast<T>(plan_.scale);
    simd::rows<T>().scale(1, plan_.D, gw_, width_, &scale, 0, to, plan_.D, plan_.D);
  }

 private:
  // Times w, the factor that slopes() left out.
  void weigh(Index rows, T* x) const {
    for (Index i = 0; i < rows; ++i, x += width_) {
      for (Index h = 0; h < width_; ++h) x[h] *= w_[h];
    }
  }

  const AttentionPlan& plan_;
  const OperandRows<const T> queries_, keys_;
  const Index width_;
  T* w_;  // times the scale
  T* q_;
  T* k_;                         // the unit's keys, where they do not lie as they are needed
  const T* own_keys_ = nullptr;  // [K, width]
  T* kept_ = nullptr;
  T* gk_ = nullptr;
  T* gq_ = nullptr;
  T* gw_ = nullptr;
  Index unit_ = 0, step_ = 0;
  const QueryTile* tile_ = nullptr;
};

}  // namespace heed::kernels
